// 11 - own compiler: the variants are template instances of this program, so nothing is compiled.
// Shows the concept attune::compiler: compile() and identity(). Takes a second.
#include <attune/attune.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::values(1, 2, 4, 8, 16, 32));
inline constexpr auto space = attune::space(lanes);

// The code of a kernel file, with the parameter as a template argument.
template <std::size_t Lanes>
void total(std::span<float const> x, std::span<float> sum)
{
    float partial[Lanes] = {};
    for (std::size_t i = 0; i + Lanes <= x.size(); i += Lanes)
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            partial[lane] += x[i + lane];
    sum[0] = 0;
    for (float const one : partial)
        sum[0] += one;
}

// Models attune::compiler.
class linked_variants {
public:
    // A callable for the values in `v`, or an attune::failure that says why there is none.
    attune::compile_result compile(attune::kernel_source const&,
                                   attune::compile_request const& v) const
    {
        for (attune::macro_definition const& macro : v.macros)
            for (auto const& [value, function] : instances)
                if (macro.name == "LANES" && macro.value == value)
                    return attune::callable{reinterpret_cast<void*>(function),
                                            std::make_shared<int>(), // nothing to unload
                                            "total<" + macro.value + '>', 0.0, identity()};
        return attune::failure{
            attune::failure_stage::compile, "no such instance in this program", {}};
    }
    // Names all that decides about the code beside the kernel: each identity has its own records.
    std::string identity() const { return "linked variants, " + std::string(__VERSION__); }

private:
    using entry = void (*)(std::span<float const>, std::span<float>);
    // 32 is left out: such a value is a failure like any other.
    static constexpr std::array<std::pair<char const*, entry>, 5> instances{
        {{"1", total<1>}, {"2", total<2>}, {"4", total<4>}, {"8", total<8>}, {"16", total<16>}}};
};
static_assert(attune::compiler<linked_variants>);

// The text has the default, and tells records of one text from those of another.
static constexpr char const* text =
    "constexpr int lanes = ATTUNE_TUNABLE(LANES, 1); // of total<lanes>";

int main()
{
    std::vector<float> x(1 << 16, 0.5f), sum(1);
    attune::kernel<void(std::span<float const>, std::span<float>)> kernel{
        "total", attune::source_text(text, "total"), space};
    attune::tuned tuned{kernel, linked_variants{}, attune::memory_store{}};
    tuned(x, sum);

    auto const report = tuned.report();
    std::printf("sum %g after %u evaluations: %s\n", static_cast<double>(sum[0]),
                report.evaluations, attune::describe(report.failures).c_str());
}
// prints:
// sum 32768 after 6 evaluations: 1 did not compile
