// 17 - ranks: one process of a job tunes, and all of them run its winner.
// Shows a store as text, which the first rank sends to the others. Three processes imitate ranks.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto space = attune::space(lanes);

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void sum(std::span<double const> x, std::span<double> out)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    double part[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    for (; i < x.size(); ++i) part[0] += x[i];
    out[0] = 0;
    for (double const p : part) out[0] += p;
}
)";

static attune::kernel<void(std::span<double const>, std::span<double>)> kernel()
{
    return {"sum", attune::source_text(text, "sum.kernel.cpp"), space};
}

// The first rank. No other rank reads or writes the file.
static std::string tune()
{
    std::vector<double> x(1 << 16, 0.5), out(1);
    attune::tuned sum{kernel(), attune::clang_compiler{}, attune::store{"ranks.attune"}};
    sum.prepare({{x, out}});
    return attune::store{"ranks.attune"}.text();
}

// Each rank, with the text that MPI_Bcast brought.
static void run(int rank, std::string const& sent)
{
    attune::tuning_options options;
    options.on_miss = attune::miss_policy::lookup_only; // a rank on its own does not tune
    auto store = attune::memory_store::from_text(sent);
    attune::tuned sum{kernel(), attune::clang_compiler{}, store, options};
    std::vector<double> x(1 << 16, 0.5), out(1);
    sum(x, out);
    bool const knew = sum.report().how == attune::decision::remembered;
    std::printf("rank %d: %g, %s\n", rank, out[0], knew ? "as sent" : "the default");
}

int main()
{
    std::string const sent = tune();
    for (int rank = 0; rank < 3; ++rank) {
        std::fflush(stdout);
        if (::fork() == 0) {
            run(rank, sent);
            return 0;
        }
        ::wait(nullptr);
    }
}
// prints:
// rank 0: 32768, as sent
// rank 1: 32768, as sent
// rank 2: 32768, as sent
