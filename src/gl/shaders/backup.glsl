/* A copy of positions and velocities. By a shader: glCopyBufferSubData of NVIDIA's driver 580 takes
 * milliseconds for what takes this one some microseconds. */
#ifndef TOILE_GL_BACKUP
#define TOILE_GL_BACKUP

void copy_state(int k, int from, int to) {
    set_state(to, k, state_at(from, k));
    set_state(to + 3, k, state_at(from + 3, k));
}

#endif
