/* Two loops that OpenMP's barrier keeps apart; with an argument, a counter that nothing guards. */
#include <stdio.h>

enum { COUNT = 10000, THREADS = 4 };
static float forth[COUNT], back[COUNT];

int main(int argc, char **argv) {
    (void)argv;
    int unguarded = 0;
    for (int pass = 0; pass < 10; pass++) {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for schedule(static)
            for (int i = 0; i < COUNT; i++) {
                forth[i] = back[COUNT - 1 - i] + 1.0f;
            }
            if (argc > 1) {
                unguarded++;
            }
#pragma omp for schedule(static)
            for (int i = 0; i < COUNT; i++) {
                back[i] = forth[COUNT - 1 - i];
            }
        }
    }
    printf("%g %d\n", (double)back[0], unguarded);
    return 0;
}
