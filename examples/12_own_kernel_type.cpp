// 12 - own kernel type: arrays of a structure of yours, compared member by member.
// Shows attune::kernel_type, a name and a tolerance per member. Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <vector>

// Trivially copyable, without pointers. `cell` is a number of the algorithm: it must be equal.
struct particle {
    float x, v;
    int cell;
};

template <>
struct attune::kernel_type<particle> {
    static constexpr auto name = "particle"; // as the kernel file calls it
    static constexpr auto fields = attune::fields(
        attune::field(&particle::x, {.absolute = 1e-6, .relative = 1e-5}),
        attune::field(&particle::v, {.absolute = 1e-6, .relative = 1e-5}), &particle::cell);
};

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 16));
inline constexpr auto space = attune::space(unroll);

// The structure once more, because this kernel is a text; a kernel file would include its header.
static constexpr char const* advance = R"(
#include <attune/tunable.hpp>
#include <span>
struct particle { float x, v; int cell; };
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void advance(std::span<particle> all, float dt)
{
#pragma GCC unroll unroll
    for (particle& p : all) {
        p.v -= dt * p.x;
        p.x += dt * p.v;
        p.cell = static_cast<int>(p.x * 8.0f);
    }
}
)";

int main()
{
    std::vector<particle> all(1 << 15, particle{1.0f, 0.0f, 8});
    attune::kernel<void(std::span<particle>, float)> kernel{
        "advance", attune::source_text(advance, "advance.kernel.cpp"), space};
    attune::tuned tuned{kernel, attune::clang_compiler{}, attune::memory_store{}};
    tuned(all, 0.5f);

    std::printf("x %g, v %g, cell %d; %u evaluations, %s\n", static_cast<double>(all[7].x),
                static_cast<double>(all[7].v), all[7].cell, tuned.report().evaluations,
                attune::describe(tuned.report().failures).c_str());
}
// prints:
// x 0.75, v -0.5, cell 6; 5 evaluations, *
