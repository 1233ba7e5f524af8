/* Lets a sheet fall for one second and says how far it fell. */
#include <stdio.h>

#include <toile/toile.h>

int main(void) {
    toile_world_def def = toile_default_world_def();
    toile_world *world;
    if (toile_world_create(&def, &world) != TOILE_OK) {
        puts(toile_error_message());
        return 1;
    }
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.fabric = toile_fabric_named("silk");
    toile_cloth_id cloth = toile_world_add_cloth(world, &sheet);
    for (int frame = 0; frame < 60; frame++) {
        if (toile_world_step(world, 1.0f / 60.0f) != TOILE_OK)
            puts(toile_error_message());
    }
    toile_metrics metrics = {0};
    toile_world_measure(world, cloth, &metrics);
    printf("C: fell by %.2f m\n", 0.5 - metrics.highest);
    toile_world_destroy(world);
    return metrics.highest < -3.0 ? 0 : 1;
}
