/* The keys of a scene file. Each table is one object of docs/scene-format.md and names the struct
 * it fills in. */
#include "io/scene_files.h"
#include "io/scene_parse.h"

#define FIELD(name, reader, type, member, ...)                                                     \
    { .key = (name), .read = (reader), .offset = offsetof(type, member), __VA_ARGS__ }
#define WHOLE(name, reader, ...)                                                                   \
    { .key = (name), .read = (reader), __VA_ARGS__ }
#define RANGE(least, most, unit_name) .low = (least), .high = (most), .unit = (unit_name)
#define LENGTH                        RANGE(1e-4, 1e4, "m")
#define POSITION                      RANGE(-1e4, 1e4, "m")
#define ANGLE                         RANGE(-1e6, 1e6, "degrees")
#define COLOR                         RANGE(0, 1, NULL)
#define AT_MOST(count)                .high = (count)
#define END                                                                                        \
    { .key = NULL }

static const field fabric_fields[] = {
    WHOLE("base", read_base),
    FIELD("density", read_number, toile_fabric, density, RANGE(0.001, 100, "kg/m^2")),
    FIELD("stretch", read_stretch, toile_fabric, stretch, RANGE(0.1, 1e7, "N/m")),
    FIELD("shear", read_number, toile_fabric, shear, RANGE(0, 1e7, "N/m")),
    FIELD("bend", read_number, toile_fabric, bend, RANGE(0, 10, "N m")),
    FIELD("damping", read_number, toile_fabric, damping, RANGE(0, 1, "s")),
    FIELD("friction", read_number, toile_fabric, friction, RANGE(0, 10, NULL)),
    FIELD("thickness", read_number, toile_fabric, thickness, RANGE(0, 0.1, "m")),
    FIELD("limit", read_number, toile_fabric, limit, RANGE(0.001, 10, NULL)),
    FIELD("curvature_u", read_number, toile_fabric, curvature[0], RANGE(-1000, 1000, "1/m")),
    FIELD("curvature_v", read_number, toile_fabric, curvature[1], RANGE(-1000, 1000, "1/m")),
    END,
};
const field_table fabric_table = {"fabric", fabric_fields};

static const field keyframe_fields[] = {
    FIELD("time", read_number, toile_keyframe, time, RANGE(0, 1e6, "s"), .required = true),
    FIELD("translate", read_vector, toile_keyframe, translate, POSITION),
    FIELD("rotate", read_vector, toile_keyframe, rotate, ANGLE),
    END,
};
static const field_table keyframe_table = {"keyframe", keyframe_fields};

static const field transform_fields[] = {
    FIELD("translate", read_vector, toile_transform, translate, POSITION),
    FIELD("rotate", read_vector, toile_transform, rotate, ANGLE),
    FIELD("scale", read_number, toile_transform, scale, RANGE(0.001, 1000, NULL)),
    END,
};
static const field_table transform_table = {"transform", transform_fields};

static const choice pin_kinds[] = {
    {"corner", TOILE_PIN_CORNER}, {"edge", TOILE_PIN_EDGE}, {"point", TOILE_PIN_POINT}, {NULL, 0}};
static const choice corners[] = {{"top-left", TOILE_CORNER_TOP_LEFT},
                                 {"top-right", TOILE_CORNER_TOP_RIGHT},
                                 {"bottom-left", TOILE_CORNER_BOTTOM_LEFT},
                                 {"bottom-right", TOILE_CORNER_BOTTOM_RIGHT},
                                 {NULL, 0}};
static const choice edges[] = {{"top", TOILE_EDGE_TOP},
                               {"bottom", TOILE_EDGE_BOTTOM},
                               {"left", TOILE_EDGE_LEFT},
                               {"right", TOILE_EDGE_RIGHT},
                               {NULL, 0}};

static const field pin_fields[] = {
    FIELD("corner", read_word, scene_pin, def.corner, .choices = corners),
    FIELD("edge", read_word, scene_pin, def.edge, .choices = edges),
    FIELD("point", read_pair, scene_pin, def.point, RANGE(0, 1e4, "m")),
    FIELD("radius", read_number, scene_pin, def.radius, RANGE(0, 1e4, "m")),
    WHOLE("keyframes", read_pin_keyframes, .table = &keyframe_table, AT_MOST(1000000)),
    FIELD("body", read_pin_body, scene_pin, body),
    FIELD("piece", read_integer, scene_pin, piece, RANGE(1, 10000, NULL)),
    FIELD("stiffness", read_number, scene_pin, def.stiffness, RANGE(0, 1e9, "N/m")),
    FIELD("along", read_vector, scene_pin, def.along, RANGE(-1e4, 1e4, NULL)),
    END,
};
static const field_table pin_table = {"pin", pin_fields};

static const field attach_fields[] = {
    FIELD("distance", read_number, scene_pin, def.radius, RANGE(0, 1e4, "m"), .required = true),
    FIELD("body", read_pin_body, scene_pin, body),
    END,
};
static const field_table attach_table = {"attach", attach_fields};

static const choice automatic_scale[] = {{"auto", 0}, {NULL, 0}};

static const field cloth_mesh_fields[] = {
    FIELD("file", read_file_name, scene_cloth_mesh, file.name, .required = true),
    FIELD("scale", read_number, scene_cloth_mesh, scale, RANGE(1e-6, 1e6, "m"),
          .choices = automatic_scale),
    FIELD("isometry_limit", read_number, scene_cloth_mesh, isometry_limit, RANGE(1e-4, 10, NULL)),
    END,
};
static const field_table cloth_mesh_table = {"cloth_mesh", cloth_mesh_fields};

static const choice curve_kinds[] = {{"line", TOILE_CURVE_LINE},
                                     {"arc", TOILE_CURVE_ARC},
                                     {"quadratic", TOILE_CURVE_QUADRATIC},
                                     {"cubic", TOILE_CURVE_CUBIC},
                                     {NULL, 0}};

static const field curve_fields[] = {
    FIELD("line", read_pair, toile_curve, to, POSITION),
    FIELD("arc", read_pair, toile_curve, to, POSITION),
    FIELD("through", read_pair, toile_curve, control[0], POSITION),
    FIELD("quadratic", read_pair, toile_curve, to, POSITION),
    FIELD("control", read_pair, toile_curve, control[0], POSITION),
    FIELD("cubic", read_pair, toile_curve, to, POSITION),
    FIELD("controls", read_controls, toile_curve, control, POSITION),
    END,
};
static const field_table curve_table = {"curve", curve_fields};

static const field loop_fields[] = {
    FIELD("start", read_pair, toile_loop, start, POSITION),
    WHOLE("curves", read_curves, .table = &curve_table, .choices = curve_kinds, AT_MOST(262144)),
    WHOLE("points", read_points, POSITION),
    END,
};
static const field_table loop_table = {"loop", loop_fields};

static const choice automatic_edge[] = {{"auto", 0}, {NULL, 0}};

static const field cloth_fields[] = {
    FIELD("name", read_name, scene_cloth, def.name),
    FIELD("rectangle", read_pair, scene_cloth, def.size, RANGE(1e-4, 1e4, "m")),
    WHOLE("outline", read_outline, .table = &loop_table, AT_MOST(10000)),
    FIELD("mesh", read_object, scene_cloth, mesh, .table = &cloth_mesh_table),
    FIELD("panel", read_panel_name, scene_cloth, panel.name),
    FIELD("grain", read_number, scene_cloth, grain, RANGE(-360, 360, "degrees")),
    FIELD("spacing", read_number, scene_cloth, def.spacing, RANGE(1e-5, 1e3, "m")),
    FIELD("coarse_edge", read_number, scene_cloth, coarse_edge, RANGE(1e-5, 1e4, "m"),
          .choices = automatic_edge),
    FIELD("render_edge", read_number, scene_cloth, render_edge, RANGE(1e-5, 1e4, "m"),
          .choices = automatic_edge),
    FIELD("snap", read_boolean, scene_cloth, snap),
    FIELD("fabric", read_fabric, scene_cloth, def.fabric, .table = &fabric_table),
    FIELD("transform", read_object, scene_cloth, def.transform, .table = &transform_table),
    WHOLE("pins", read_pins, .table = &pin_table, .choices = pin_kinds, AT_MOST(100000)),
    WHOLE("attach", read_attach, .table = &attach_table),
    FIELD("layer", read_integer, scene_cloth, def.layer, RANGE(-1000, 1000, NULL)),
    FIELD("color", read_color, scene_cloth, color, COLOR),
    END,
};
static const field_table cloth_table = {"cloth", cloth_fields};

static const field run_fields[] = {
    FIELD("cloth", read_label, scene_run, cloth, .required = true),
    WHOLE("points", read_tie_points, RANGE(0, 1e4, "m"), .required = true),
    END,
};
static const field_table run_table = {"run", run_fields};

static const choice automatic_bend[] = {{"auto", -1}, {NULL, 0}};

static const field tie_fields[] = {
    WHOLE("runs", read_tie_runs, .table = &run_table, .required = true),
    FIELD("count", read_integer, scene_tie, def.count, RANGE(0, 100000, NULL)),
    FIELD("stiffness", read_number, scene_tie, def.stiffness, RANGE(0, 1e9, "N/m")),
    FIELD("along", read_vector, scene_tie, def.along, RANGE(-1e4, 1e4, NULL)),
    FIELD("until", read_number, scene_tie, def.until, RANGE(0, 1e6, "s")),
    FIELD("bend", read_number, scene_tie, def.bend, RANGE(0, 100, NULL), .choices = automatic_bend),
    END,
};
static const field_table tie_table = {"tie", tie_fields};

static const choice shapes[] = {
    {"sphere", TOILE_SHAPE_SPHERE},      {"ellipsoid", TOILE_SHAPE_ELLIPSOID},
    {"capsule", TOILE_SHAPE_CAPSULE},    {"box", TOILE_SHAPE_BOX},
    {"plane", TOILE_SHAPE_PLANE},        {"mesh", TOILE_SHAPE_MESH},
    {"character", TOILE_SHAPE_SKINNED},  {"mannequin", TOILE_SHAPE_SKINNED},
    {"sequence", TOILE_SHAPE_DEFORMING}, {NULL, 0}};

static const field sphere_fields[] = {
    FIELD("center", read_vector, toile_body_def, center, POSITION),
    FIELD("radius", read_number, toile_body_def, radii[0], LENGTH),
    END,
};
static const field_table sphere_table = {"sphere", sphere_fields};

static const field ellipsoid_fields[] = {
    FIELD("center", read_vector, toile_body_def, center, POSITION),
    FIELD("radii", read_vector, toile_body_def, radii, LENGTH),
    FIELD("rotate", read_vector, toile_body_def, rotate, ANGLE),
    END,
};
static const field_table ellipsoid_table = {"ellipsoid", ellipsoid_fields};

static const field capsule_fields[] = {
    FIELD("a", read_vector, toile_body_def, a, POSITION),
    FIELD("b", read_vector, toile_body_def, b, POSITION),
    FIELD("radius", read_number, toile_body_def, radii[0], LENGTH),
    END,
};
static const field_table capsule_table = {"capsule", capsule_fields};

static const field box_fields[] = {
    FIELD("center", read_vector, toile_body_def, center, POSITION),
    FIELD("half", read_vector, toile_body_def, half, LENGTH),
    FIELD("rotate", read_vector, toile_body_def, rotate, ANGLE),
    END,
};
static const field_table box_table = {"box", box_fields};

static const field plane_fields[] = {
    FIELD("point", read_vector, toile_body_def, center, POSITION),
    FIELD("normal", read_vector, toile_body_def, normal, RANGE(-1e6, 1e6, NULL)),
    END,
};
static const field_table plane_table = {"plane", plane_fields};

static const field mesh_fields[] = {
    FIELD("file", read_file_name, scene_body, mesh_file.name, .required = true),
    FIELD("scale", read_number, scene_body, mesh_scale, RANGE(0.001, 1000, NULL)),
    FIELD("center", read_vector, scene_body, def.center, POSITION),
    FIELD("rotate", read_vector, scene_body, def.rotate, ANGLE),
    END,
};
static const field_table mesh_table = {"mesh", mesh_fields};

static const field action_fields[] = {
    FIELD("name", read_label, performance_action, animation, .required = true),
    FIELD("weight", read_double, performance_action, weight, RANGE(0, 1e6, NULL)),
    FIELD("speed", read_double, performance_action, speed, RANGE(-100, 100, NULL)),
    FIELD("start", read_double, performance_action, start, RANGE(0, 1e6, "s")),
    FIELD("begin", read_double, performance_action, begin, RANGE(-1e6, 1e6, "s")),
    FIELD("end", read_double, performance_action, end, RANGE(-1e6, 1e6, "s")),
    FIELD("fade_in", read_double, performance_action, fade_in, RANGE(0, 1e6, "s")),
    FIELD("fade_out", read_double, performance_action, fade_out, RANGE(0, 1e6, "s")),
    FIELD("loop", read_looping, performance_action, loop),
    FIELD("on_top", read_boolean, performance_action, on_top),
    END,
};
static const field_table action_table = {"action", action_fields};

static const choice skinnings[] = {{"linear", TOILE_SKINNING_LINEAR},
                                   {"dual-quaternion", TOILE_SKINNING_DUAL_QUATERNION},
                                   {NULL, 0}};

/* What characters and mannequins do. */
#define PLAYING                                                                                    \
    FIELD("animation", read_label, scene_actor, only.animation),                                   \
        FIELD("speed", read_double, scene_actor, only.speed, RANGE(-100, 100, NULL)),              \
        FIELD("time", read_double, scene_actor, only.start, RANGE(0, 1e6, "s")),                   \
        FIELD("loop", read_looping, scene_actor, only.loop),                                       \
        WHOLE("animations", read_actions, .table = &action_table, AT_MOST(1000)),                  \
        FIELD("root_motion", read_boolean, scene_actor, root_motion),                              \
        FIELD("skinning", read_word, scene_actor, skinning, .choices = skinnings)
#define PLACE                                                                                      \
    FIELD("center", read_vector, scene_actor, center, POSITION),                                   \
        FIELD("rotate", read_vector, scene_actor, rotate, ANGLE)
#define ACTOR_SCALE RANGE(1e-6, 1e6, NULL)

static const field character_fields[] = {
    FIELD("file", read_file_name, scene_actor, file.name, .required = true),
    FIELD("scale", read_double, scene_actor, scale, ACTOR_SCALE),
    FIELD("weld", read_double, scene_actor, weld, RANGE(0, 0.1, "m")),
    FIELD("open", read_boolean, scene_actor, open),
    PLAYING,
    PLACE,
    END,
};
static const field_table character_table = {"character", character_fields};

static const choice mannequin_poses[] = {{"a", MANNEQUIN_A}, {"t", MANNEQUIN_T}, {NULL, 0}};
static const choice automatic_girth[] = {{"auto", 0}, {NULL, 0}};
#define GIRTH RANGE(0.3, 2, "m"), .choices = automatic_girth

static const field mannequin_fields[] = {
    FIELD("height", read_double, scene_actor, mannequin.height, RANGE(1.4, 2.1, "m")),
    FIELD("chest", read_double, scene_actor, mannequin.chest, GIRTH),
    FIELD("waist", read_double, scene_actor, mannequin.waist, GIRTH),
    FIELD("hip", read_double, scene_actor, mannequin.hip, GIRTH),
    FIELD("pose", read_word, scene_actor, mannequin.pose, .choices = mannequin_poses),
    PLAYING,
    PLACE,
    END,
};
static const field_table mannequin_table = {"mannequin", mannequin_fields};

static const field sequence_fields[] = {
    WHOLE("files", read_sequence_files, AT_MOST(MOST_SEQUENCE_FILES)),
    FIELD("pattern", read_label, scene_actor, pattern),
    FIELD("first", read_integer, scene_actor, first, RANGE(0, 999999999, NULL)),
    FIELD("last", read_integer, scene_actor, last, RANGE(0, 999999999, NULL)),
    FIELD("base", read_file_name, scene_actor, base.name),
    FIELD("cache", read_file_name, scene_actor, cache.name),
    FIELD("rate", read_double, scene_actor, rate, RANGE(0.001, 1e6, "1/s")),
    FIELD("scale", read_double, scene_actor, scale, ACTOR_SCALE),
    FIELD("open", read_boolean, scene_actor, open),
    FIELD("speed", read_double, scene_actor, speed, RANGE(-100, 100, NULL)),
    FIELD("time", read_double, scene_actor, start, RANGE(-1e6, 1e6, "s")),
    FIELD("loop", read_boolean, scene_actor, loop),
    PLACE,
    END,
};
static const field_table sequence_table = {"sequence", sequence_fields};

static const field body_fields[] = {
    FIELD("name", read_name, scene_body, def.name),
    FIELD("sphere", read_object, scene_body, def, .table = &sphere_table),
    FIELD("ellipsoid", read_object, scene_body, def, .table = &ellipsoid_table),
    FIELD("capsule", read_object, scene_body, def, .table = &capsule_table),
    FIELD("box", read_object, scene_body, def, .table = &box_table),
    FIELD("plane", read_object, scene_body, def, .table = &plane_table),
    WHOLE("mesh", read_object, .table = &mesh_table),
    WHOLE("character", read_character, .table = &character_table),
    WHOLE("mannequin", read_mannequin, .table = &mannequin_table),
    WHOLE("sequence", read_sequence, .table = &sequence_table),
    FIELD("friction", read_number, scene_body, def.friction, RANGE(0, 10, NULL)),
    FIELD("reflection", read_number, scene_body, def.reflection, RANGE(0, 1, NULL)),
    WHOLE("keyframes", read_body_keyframes, .table = &keyframe_table, AT_MOST(1000000)),
    FIELD("color", read_color, scene_body, color, COLOR),
    END,
};
static const field_table body_table = {"body", body_fields};

static const choice solvers[] = {{"mass-spring", TOILE_SOLVER_MASS_SPRING},
                                 {"multilevel", TOILE_SOLVER_MULTILEVEL},
                                 {"implicit", TOILE_SOLVER_IMPLICIT},
                                 {"refine", TOILE_SOLVER_REFINE},
                                 {NULL, 0}};
static const choice qualities[] = {{"default", TOILE_QUALITY_DEFAULT},
                                   {"game", TOILE_QUALITY_GAME},
                                   {"film", TOILE_QUALITY_FILM},
                                   {NULL, 0}};
static const choice integrators[] = {{"euler", TOILE_INTEGRATOR_EULER},
                                     {"verlet", TOILE_INTEGRATOR_VERLET},
                                     {"velocity-verlet", TOILE_INTEGRATOR_VELOCITY_VERLET},
                                     {NULL, 0}};
static const choice stiffnesses[] = {
    {"auto", TOILE_STIFFNESS_AUTO}, {"true", TOILE_STIFFNESS_TRUE}, {NULL, 0}};
static const choice automatic[] = {{"auto", 0}, {NULL, 0}};

static const choice corrections[] = {{"object", TOILE_CORRECTION_OBJECT},
                                     {"history", TOILE_CORRECTION_HISTORY},
                                     {"image", TOILE_CORRECTION_IMAGE},
                                     {"none", TOILE_CORRECTION_NONE},
                                     {NULL, 0}};
static const choice rules[] = {
    {"winding", TOILE_INSIDE_WINDING}, {"parity", TOILE_INSIDE_PARITY}, {NULL, 0}};
static const choice from_camera[] = {{"camera", 0}, {NULL, 0}};

static const choice relaxations[] = {{"gauss-seidel", TOILE_RELAXATION_GAUSS_SEIDEL},
                                     {"jacobi", TOILE_RELAXATION_JACOBI},
                                     {NULL, 0}};

static const field level_fields[] = {
    FIELD("relaxation", read_word, toile_level_def, relaxation, .choices = relaxations),
    FIELD("iterations", read_integer, toile_level_def, iterations, RANGE(1, 10000, NULL),
          .required = true),
    END,
};
static const field_table level_table = {"level", level_fields};

#define OF_SPRINGS    .kinds = KIND_BIT(TOILE_SOLVER_MASS_SPRING) | KIND_BIT(TOILE_SOLVER_REFINE)
#define OF_REFINE     .kinds = KIND_BIT(TOILE_SOLVER_REFINE)
#define OF_MULTILEVEL .kinds = KIND_BIT(TOILE_SOLVER_MULTILEVEL)
#define OF_IMPLICIT   .kinds = KIND_BIT(TOILE_SOLVER_IMPLICIT)
#define OF_LEVELS     .kinds = KIND_BIT(TOILE_SOLVER_MULTILEVEL) | KIND_BIT(TOILE_SOLVER_IMPLICIT)

static const field solver_fields[] = {
    FIELD("kind", read_word, toile_solver_def, kind, .choices = solvers),
    FIELD("integrator", read_word, toile_solver_def, integrator, .choices = integrators,
          OF_SPRINGS),
    FIELD("substeps", read_integer, toile_solver_def, substeps, RANGE(1, 100000, NULL),
          .choices = automatic),
    FIELD("max_substeps", read_integer, toile_solver_def, max_substeps, RANGE(1, 100000, NULL)),
    FIELD("stiffness", read_word, toile_solver_def, stiffness, .choices = stiffnesses, OF_SPRINGS),
    FIELD("limit_iterations", read_integer, toile_solver_def, limit_iterations,
          RANGE(0, 1000, NULL), OF_SPRINGS),
    FIELD("damping", read_number, toile_solver_def, damping, RANGE(0, 1000, "1/s")),
    WHOLE("levels", read_levels, .table = &level_table, RANGE(1, 16, NULL),
          .kinds = KIND_BIT(TOILE_SOLVER_MULTILEVEL) | KIND_BIT(TOILE_SOLVER_REFINE)),
    FIELD("cycles", read_integer, toile_solver_def, cycles, RANGE(1, 1000, NULL), OF_MULTILEVEL),
    FIELD("constraint_stiffness", read_number, toile_solver_def, constraint_stiffness,
          RANGE(0, 1, NULL), OF_MULTILEVEL),
    FIELD("strain_limit", read_number, toile_solver_def, strain_limit, RANGE(0, 10, NULL),
          OF_LEVELS),
    FIELD("bounded", read_boolean, toile_solver_def, bounded, OF_IMPLICIT),
    FIELD("order", read_integer, toile_solver_def, order, RANGE(1, 2, NULL), OF_IMPLICIT),
    FIELD("quality", read_word, toile_solver_def, quality, .choices = qualities, OF_IMPLICIT),
    FIELD("iterations", read_integer, toile_solver_def, iterations, RANGE(1, 1000, NULL),
          .choices = automatic, OF_IMPLICIT),
    FIELD("tolerance", read_number, toile_solver_def, tolerance, RANGE(0, 1, NULL), OF_IMPLICIT),
    FIELD("sleep", read_boolean, toile_solver_def, sleep),
    FIELD("self_collision", read_boolean, toile_solver_def, self_collision, OF_LEVELS),
    FIELD("correction", read_word, toile_solver_def, refine.correction, .choices = corrections,
          OF_REFINE),
    FIELD("rule", read_word, toile_solver_def, refine.rule, .choices = rules, OF_REFINE),
    FIELD("directions", read_integer, toile_solver_def, refine.directions, RANGE(1, 13, NULL),
          .choices = from_camera, OF_REFINE),
    FIELD("any_view", read_boolean, toile_solver_def, refine.any_view, OF_REFINE),
    FIELD("resolution", read_integer, toile_solver_def, refine.resolution, RANGE(8, 8192, NULL),
          OF_REFINE),
    FIELD("layers", read_integer, toile_solver_def, refine.layers, RANGE(0, 32, NULL), OF_REFINE),
    FIELD("visible_only", read_boolean, toile_solver_def, refine.visible_only, OF_REFINE),
    FIELD("filter_objects", read_boolean, toile_solver_def, refine.filter_objects, OF_REFINE),
    FIELD("one_pass", read_boolean, toile_solver_def, refine.one_pass, OF_REFINE),
    FIELD("move_parents", read_boolean, toile_solver_def, refine.move_parents, OF_REFINE),
    FIELD("parent_stretch", read_number, toile_solver_def, refine.parent_stretch,
          RANGE(0, 10, NULL), OF_REFINE),
    FIELD("forces", read_boolean, toile_solver_def, refine.forces, OF_REFINE),
    FIELD("force_iterations", read_integer, toile_solver_def, refine.force_iterations,
          RANGE(0, 1000, NULL), OF_REFINE),
    FIELD("force_damping", read_number, toile_solver_def, refine.force_damping,
          RANGE(0, 1000, "1/s"), OF_REFINE),
    FIELD("cloth", read_boolean, toile_solver_def, refine.cloth, OF_REFINE),
    FIELD("coarse_edges", read_boolean, toile_solver_def, refine.coarse_edges, OF_REFINE),
    END,
};
static const field_table solver_table = {"solver", solver_fields};

static const choice collisions[] = {{"auto", TOILE_COLLISION_AUTO},
                                    {"shapes", TOILE_COLLISION_SHAPES},
                                    {"coarse", TOILE_COLLISION_COARSE},
                                    {"maps", TOILE_COLLISION_MAPS},
                                    {"ccd", TOILE_COLLISION_CCD},
                                    {"rays", CHOICE_LATER},
                                    {"self", CHOICE_LATER},
                                    {NULL, 0}};
static const choice responses[] = {
    {"friction", TOILE_RESPONSE_FRICTION}, {"follow", TOILE_RESPONSE_FOLLOW}, {NULL, 0}};
static const choice automatic_margin[] = {{"auto", -1}, {NULL, 0}};

static const field collision_fields[] = {
    FIELD("kind", read_word, toile_world_def, collision, .choices = collisions),
    FIELD("margin", read_number, toile_world_def, contact_margin, RANGE(0, 1, "m"),
          .choices = automatic_margin),
    FIELD("response", read_word, toile_world_def, response, .choices = responses),
    FIELD("edges", read_boolean, toile_world_def, edges),
    FIELD("map_size", read_integer, toile_world_def, map_size, RANGE(16, 2048, NULL)),
    FIELD("map_cameras", read_integer, toile_world_def, map_cameras, RANGE(2, 6, NULL)),
    FIELD("map_memory", read_integer, toile_world_def, map_memory, RANGE(0, 1000000, "MB")),
    END,
};
static const field_table collision_table = {"collision", collision_fields};

static const choice starts[] = {
    {"apart", TOILE_START_APART}, {"untangle", TOILE_START_UNTANGLE}, {NULL, 0}};

static const field wind_fields[] = {
    FIELD("velocity", read_vector, toile_wind_def, velocity, RANGE(-200, 200, "m/s")),
    FIELD("air_density", read_number, toile_wind_def, air_density, RANGE(0, 2000, "kg/m^3")),
    FIELD("drag", read_number, toile_wind_def, drag, RANGE(0, 10, NULL)),
    FIELD("lift", read_number, toile_wind_def, lift, RANGE(0, 10, NULL)),
    FIELD("gust", read_number, toile_wind_def, gust, RANGE(0, 1, NULL)),
    FIELD("gust_period", read_number, toile_wind_def, gust_period, RANGE(0.01, 1000, "s")),
    END,
};
static const field_table wind_table = {"wind", wind_fields};

static const field camera_fields[] = {
    FIELD("eye", read_vector, scene_camera, eye, POSITION),
    FIELD("target", read_vector, scene_camera, target, POSITION),
    FIELD("fov", read_number, scene_camera, fov, RANGE(1, 170, "degrees")),
    END,
};
static const field_table camera_table = {"camera", camera_fields};

static const choice textures[] = {{"weave", SCENE_TEXTURE_WEAVE},
                                  {"check", SCENE_TEXTURE_CHECK},
                                  {"plain", SCENE_TEXTURE_PLAIN},
                                  {NULL, 0}};

static const field render_fields[] = {
    FIELD("size", read_integer_pair, scene_render, size, RANGE(16, 8192, "pixels")),
    FIELD("background", read_color, scene_render, background, COLOR),
    FIELD("texture", read_word, scene_render, texture, .choices = textures),
    FIELD("wireframe", read_boolean, scene_render, wireframe),
    FIELD("floor", read_boolean, scene_render, floor),
    END,
};
static const field_table render_table = {"render", render_fields};

static const choice devices[] = {{"auto", 0}, {"cpu", 1},  {"gl", 2}, {"gl-fragment", 3},
                                 {"cuda", 4}, {"null", 5}, {NULL, 0}};
static const choice passes[] = {
    {"compute", SCENE_PASS_COMPUTE}, {"fragment", SCENE_PASS_FRAGMENT}, {NULL, 0}};

static const field device_fields[] = {
    FIELD("kind", read_word, scene_device, kind, .choices = devices, .required = true),
    FIELD("pass", read_word, scene_device, pass, .choices = passes),
    END,
};
static const field_table device_table = {"device", device_fields};

static const field report_fields[] = {
    FIELD("interval", read_integer, scene_report, interval, RANGE(1, 1000000, NULL)),
    END,
};
static const field_table report_table = {"report", report_fields};

/* The order is that of reading: cloths name fabrics and bodies. */
static const field scene_fields[] = {
    WHOLE("toile", read_version, RANGE(1, 1, NULL), .required = true),
    FIELD("gravity", read_vector, scene, world.gravity, RANGE(-1000, 1000, "m/s^2")),
    FIELD("time_step", read_number, scene, time_step, RANGE(1e-6, 1, "s")),
    FIELD("frames", read_integer, scene, frames, RANGE(1, 1000000, NULL)),
    FIELD("seed", read_seed, scene, world.seed, RANGE(0, 9007199254740991.0, NULL)),
    FIELD("device", read_device, scene, world.device, .table = &device_table, .choices = devices),
    FIELD("solver", read_solver, scene, world.solver, .table = &solver_table),
    FIELD("collision", read_collision, scene, world, .table = &collision_table,
          .choices = collisions),
    FIELD("start", read_word, scene, world.start, .choices = starts),
    FIELD("wind", read_object, scene, world.wind, .table = &wind_table),
    WHOLE("fabrics", read_fabrics, .table = &fabric_table),
    WHOLE("bodies", read_bodies, .table = &body_table, .choices = shapes, AT_MOST(10000)),
    WHOLE("cloths", read_cloths, .table = &cloth_table, AT_MOST(10000)),
    WHOLE("ties", read_ties, .table = &tie_table, AT_MOST(10000)),
    FIELD("camera", read_camera, scene, camera, .table = &camera_table),
    FIELD("render", read_object, scene, render, .table = &render_table),
    FIELD("report", read_object, scene, report, .table = &report_table),
    END,
};
static const field_table scene_table = {"scene", scene_fields};

const field_table *const scene_tables[] = {
    &scene_table,     &device_table,    &solver_table,     &level_table,
    &collision_table, &wind_table,      &fabric_table,     &cloth_table,
    &loop_table,      &curve_table,     &cloth_mesh_table, &transform_table,
    &pin_table,       &keyframe_table,  &body_table,       &sphere_table,
    &ellipsoid_table, &capsule_table,   &box_table,        &plane_table,
    &mesh_table,      &character_table, &mannequin_table,  &sequence_table,
    &action_table,    &attach_table,    &run_table,        &tie_table,
    &camera_table,    &render_table,    &report_table,     NULL};
