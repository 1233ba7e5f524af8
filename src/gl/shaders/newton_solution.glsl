/* The solution on a part's coarsest level, W' W r, with W from newton_factor. */
#ifndef TOILE_GL_NEWTON_SOLUTION
#define TOILE_GL_NEWTON_SOLUTION

/* r, and W r: the shader's own number of unknowns at most. */
shared float forces[SOLUTION_UNKNOWNS], halfway[SOLUTION_UNKNOWNS];

/* A row of W r; all of r is there. */
void go_halfway(int row) {
    int n = panel.unknowns;
    float sum = 0.0;
    for (int i = 0; i <= row; i++) {
        sum += factors[panel.factor + row * n + i] * forces[i];
    }
    halfway[row] = sum;
}

/* A row of the solution; all of W r is there. */
float solution_at(int row) {
    int n = panel.unknowns;
    float sum = 0.0;
    for (int i = row; i < n; i++) {
        sum += factors[panel.factor + i * n + row] * halfway[i];
    }
    return sum;
}

#endif
