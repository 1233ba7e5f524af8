/* What couplings of the finest level are drawn to, and how hard. */
#ifndef TOILE_GL_NEWTON_AIMS
#define TOILE_GL_NEWTON_AIMS

layout(std430, binding = BIND_AIMS) restrict readonly buffer aim_buffer { float aims[]; };

vec3 aim_vector(int at) {
    return vec3(aims[at], aims[at + 1], aims[at + 2]);
}

vec3 aim_place(int aim) {
    return aim_vector(AIM_WORDS * aim);
}

vec3 aim_along(int aim) {
    return aim_vector(AIM_WORDS * aim + AIM_ALONG);
}

float aim_stiffness(int aim) {
    return aims[AIM_WORDS * aim + AIM_STIFFNESS];
}

#endif
