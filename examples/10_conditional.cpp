// 10 - conditional parameters: a parameter that counts only for some values of another one.
// Shows active_if. Needs no compiler. Takes a second.
#include <attune/attune.hpp>

#include <cmath>
#include <cstdio>

inline constexpr auto design =
    attune::categorical<"DESIGN">("plain", "packed").with_default("plain");
inline constexpr auto tile =
    attune::ordinal<"TILE">(attune::powers_of_two(8, 128)).with_default(16);
// While inactive it has the value 4, as the macro of a kernel and in constraints.
inline constexpr auto panel = attune::ordinal<"PANEL">(attune::powers_of_two(4, 64))
                                  .with_default(4)
                                  .active_if(design == "packed");
inline constexpr auto ahead =
    attune::integer<"AHEAD">(0, 8).with_default(0).active_if(panel >= 16); // and so is the panel

inline constexpr auto space = attune::space(design, tile, panel, ahead).where(panel <= tile);

// Imitates a measurement. A plain design reads neither `panel` nor `ahead`.
static double cost(auto const& config)
{
    double const t = std::log2(config[tile]) - 5;
    if (config[design] == "plain") return 3 + t * t;
    double const p = std::log2(config[panel]) - 5;
    return 1 + t * t + p * p + 0.1 * std::abs(config[ahead] - 3);
}

int main()
{
    attune::chain_of_trees const all = attune::build(space);
    std::printf("%.0f configurations\n", std::exp2(all.log2_size()));

    attune::optimizer optimizer{space, {.seed = 3}};
    while (auto const config = optimizer.ask())
        optimizer.tell(*config, cost(*config));
    auto const best = optimizer.best().value();
    std::printf("best: tile %d, panel %d, ahead %d\n", best[tile], best[panel], best[ahead]);

    // All values of an inactive parameter are one configuration.
    attune::point const plain = all.settled({{0, 0}, {1, 0}, {3, 0}, {5, 0}});
    std::printf("%s\n", attune::text_of(all.describe(), plain).c_str());
}
// prints:
// 96 configurations
// best: tile 32, panel 32, ahead 3
// DESIGN=plain TILE=16 PANEL=(inactive) AHEAD=(inactive)
