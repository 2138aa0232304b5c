// bench/tune/program_fields.hpp - what bench.tune.programs prints.
// SPDX-License-Identifier: MIT
#pragma once

namespace bench {

inline constexpr char const* program_fields =
    R"(Everything runs on one core, the first that this program may use. Times are medians of processor time per call,
of functions that take turns: each turn is one call that does not count and as many as take 5 ms.

program LAYER
  gflops=, best_ms=      what the tuning installed
  vs_default=            the default's time over that
  evaluations=, seconds= of the tuning, in wall time: all of it; compile_s=: in the compiler, think_s=: the search
  vs_library=, library=  the time of the fastest library over ours: above 1 we are faster. oneDNN has packed weights
                         and what follows the product fused; na: none was there
  at16=                  our time over that of the fastest configuration by its reading among the first 16
                         evaluations, the default among them: the share of the speed that is reached by then
  at8=                   the same of the first 8
  at8_model=             with --samples FILE: of a second search, which begins with what FILE has of the other layers, and
                         adds its own: the time of the faster of both searches' best over that of the fastest of its first 8.
                         Run twice: the first run fills FILE. at60_model=: our time over its best's. With --two-level it is
                         two_level_search, else the default search as without FILE
  random_at16=, random_at60=  the same of a random search in the same space: after 16, and what it installs in the end
  vs_metaschedule=       the time of its best over ours; metaschedule=: its trials and its wall seconds
  vs_metaschedule60=     of its best among its first 60 trials
variant LAYER            variant_ms=: processor time from a configuration to code, median of random configurations;
                         write_ms=: of that, text; clang_ms=: clang++ -O3 -shared on the same text; vs_clang=: ratio
graph LAYER              of several statements, or that plain loops compute well: best_ms= beside the plain nest, one
                         function by clang++ -Ofast -march=native, and beside Eigen; vs_plain=, vs_eigen=: their time over
                         ours. total_graphs: geometric means and the worst
inputs_vs_constants LAYER  with --inputs: the same program with extents that a call gives, tuned as well;
                         inputs_vs_constants=: time with constants over time with inputs
weights LAYER            with --weights, in place of all else: a layer and the same with constant weights, both tuned;
                         weights_vs_arrays=: time with weights that a call may change over time with constant ones,
                         then the two configurations
total                    geometric means; dense_: of products and convolutions, depthwise is none; worst_: the least of all;
                         think_share=: of the wall time of all tunings; think_share_model=: of those of at8_model=
)";

} // namespace bench
