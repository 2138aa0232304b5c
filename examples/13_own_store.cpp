// 13 - own store: the shipped results of a program, behind those of the user's machine.
// Shows the concept attune::record_store: find(), add() and notices(). Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Models attune::record_store. Looks into both files and writes to the first alone.
class layered_store {
public:
    layered_store(std::string const& own, std::string const& shipped)
        : own_(own)
        , shipped_(shipped)
    {
    }
    // The best fitting record, and how it fits; empty if there is none.
    attune::lookup_result find(attune::record_key const& key)
    {
        attune::lookup_result const mine = own_.find(key);
        attune::lookup_result const theirs = shipped_.find(key);
        return theirs.how < mine.how ? theirs : mine; // attune::record_match: the best comes first
    }
    // Never throws: an error is a notice.
    void add(attune::record const& entry) { own_.add(entry); }
    std::vector<std::string> notices()
    {
        std::vector<std::string> all = own_.notices();
        for (std::string& one : shipped_.notices())
            all.push_back(std::move(one));
        return all;
    }

private:
    attune::store own_, shipped_;
};
static_assert(attune::record_store<layered_store>);

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 16));
inline constexpr auto space = attune::space(unroll);

static constexpr char const* scale = R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void scale(std::span<float> x, float factor)
{
#pragma GCC unroll unroll
    for (float& value : x) value *= factor;
}
)";

template <class Store>
static void run(char const* who, Store store)
{
    std::vector<float> x(1 << 15, 1.0f);
    attune::kernel<void(std::span<float>, float)> kernel{
        "scale", attune::source_text(scale, "scale.kernel.cpp"), space};
    attune::tuned tuned{kernel, attune::clang_compiler{}, std::move(store)};
    tuned(x, 3.0f);
    bool const knew = tuned.report().how == attune::decision::remembered;
    std::printf("%s: x[0] = %g, %s\n", who, static_cast<double>(x[0]), knew ? "knew" : "tuned");
}

int main()
{
    run("the developer", attune::store{"shipped.attune"});
    run("a user", layered_store{"own.attune", "shipped.attune"});
    run("without a file", layered_store{"own.attune", "other.attune"});
}
// prints:
// the developer: x[0] = 3, tuned
// a user: x[0] = 3, knew
// without a file: x[0] = 3, tuned
