// 02 - constraints: every kind of parameter, and constraints between parameters.
// Shows domains, inputs, expressions, a lambda, and questions to a space. Needs no compiler.
// Instant.
#include <attune/attune.hpp>
#include <attune/space/query/space_report.hpp>

#include <cstdio>

enum class layout { rows, columns };

// A value that is known only when the space is built: a problem size, a device limit.
inline constexpr auto n = attune::input<"N", int>();

inline constexpr auto block =
    attune::ordinal<"BLOCK">(attune::powers_of_two(16, 1024)).with_default(128);
inline constexpr auto width = attune::ordinal<"WIDTH">(attune::divisors_of(n));
inline constexpr auto depth = attune::integer<"DEPTH">(1, 8);
inline constexpr auto order = attune::categorical<"LAYOUT">(layout::rows, layout::columns);
inline constexpr auto schedule = attune::categorical<"SCHEDULE">("static", "dynamic");
inline constexpr auto vectors = attune::boolean<"VECTORS">();
inline constexpr auto loops = attune::permutation<"LOOPS", 3>();
inline constexpr auto tile = attune::tile<"TILE", 2>(n);
inline constexpr auto share = attune::real<"SHARE">(0.01, 1.0).log_scale();

inline constexpr auto space =
    attune::space(block, width, depth, order, schedule, vectors, loops, tile, share)
        .where(block * depth * sizeof(float) <= 16 * 1024, // fits the cache
               n % block == 0,                             // no remainder
               !vectors || width % 8 == 0,                 // implication
               attune::max(width, tile[1]) <= 256,         // functions of parameters
               attune::one_of(depth, 1, 2, 4, 8),          // membership
               loops.position(0) < loops.position(2),      // loop 0 outside loop 2
               schedule == "static" || order == layout::rows,
               attune::predicate(width, depth, [](int w, int d) { return w % d == 0; }));

int main()
{
    attune::chain_of_trees const all = attune::build(space, {n(1024)});
    std::printf("%zu trees, 2^%.2f configurations besides the real parameter\n", all.tree_count(),
                all.log2_size());

    attune::space_report const report =
        attune::report_on(all); // attune::to_text(report): all of it
    std::printf("hardest to keep: %s\n", report.most_restrictive()->text.c_str());

    attune::random_engine engine{42};
    attune::point const drawn = all.sample(engine);
    auto const config = attune::decode(space, all.describe(), drawn);
    int const width_drawn = config[width]; // typed: no strings, no variants
    layout const order_drawn = config[order];
    std::printf("drawn: width %d, rows %d, valid %d, %s neighbours\n", width_drawn,
                order_drawn == layout::rows, all.contains(drawn),
                all.neighbours(drawn).empty() ? "no" : "has");

    attune::point broken = drawn;
    broken[0] = *attune::coordinate_of(all.describe().parameters[0], "1024");
    broken[2] = *attune::coordinate_of(all.describe().parameters[2], "7");
    for (auto const& text : all.violations(broken))
        std::printf("breaks: %s\n", text.c_str());

    try {
        (void)attune::build(attune::space(block, depth).where(block < 32, depth * block > 256));
    } catch (attune::error const& e) {
        std::printf("%s\n", e.what());
    }
}
// prints:
// 4 trees, 2^# configurations besides the real parameter
// hardest to keep: predicate(WIDTH, DEPTH)
// drawn: width #, rows #, valid 1, has neighbours
// breaks: BLOCK * DEPTH * 4 <= 16384
// breaks: DEPTH == 1 || DEPTH == 2 || DEPTH == 4 || DEPTH == 8
// breaks: predicate(WIDTH, DEPTH)
// attune: the space is empty: 2 constraints contradict each other
//   where: BLOCK < 32; DEPTH * BLOCK > 256
//   next:  drop or loosen one of them, or give their parameters more values
