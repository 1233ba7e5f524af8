// The same as drop.c, from C++.
#include <iostream>
#include <memory>

#include <toile/toile.h>

int main() {
    toile_world_def def = toile_default_world_def();
    toile_world *made = nullptr;
    if (toile_world_create(&def, &made) != TOILE_OK) {
        std::cout << toile_error_message() << '\n';
        return 1;
    }
    std::unique_ptr<toile_world, decltype(&toile_world_destroy)> world(made, toile_world_destroy);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.fabric = toile_fabric_named("silk");
    toile_cloth_id cloth = toile_world_add_cloth(world.get(), &sheet);
    for (int frame = 0; frame < 60; frame++) {
        if (toile_world_step(world.get(), 1.0f / 60.0f) != TOILE_OK)
            std::cout << toile_error_message() << '\n';
    }
    toile_metrics metrics{};
    toile_world_measure(world.get(), cloth, &metrics);
    std::cout << "C++: fell by " << 0.5 - metrics.highest << " m\n";
    return metrics.highest < -3.0 ? 0 : 1;
}
