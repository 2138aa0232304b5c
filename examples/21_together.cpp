// 21 - together: many kernels, one budget.
// Shows a budget that goes to the kernel in which the program gains most.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/together.hpp>

#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto rows = attune::ordinal<"ROWS">(attune::powers_of_two(1, 8));
inline constexpr auto columns = attune::ordinal<"COLUMNS">(attune::powers_of_two(1, 64));
inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto n = attune::input<"N", int>();

static constexpr char const* product_text = R"(
#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
void product(std::span<float const> a, std::span<float const> b, std::span<float> c, int n)
{
    constexpr int rows = ATTUNE_TUNABLE(ROWS, 1), columns = ATTUNE_TUNABLE(COLUMNS, 1);
    for (int i = 0; i < n; i += rows)
        for (int j = 0; j < n; j += columns) {
            float sum[rows][columns] = {};
            for (int k = 0; k < n; ++k)
                for (int x = 0; x < rows; ++x)
                    for (int y = 0; y < columns; ++y)
                        sum[x][y] += a[(i + x) * n + k] * b[k * n + j + y];
            for (int x = 0; x < rows; ++x)
                std::copy_n(sum[x], columns, &c[(i + x) * n + j]);
        }
}
)";
static constexpr char const* total_text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void total(std::span<float const> x, std::span<float> out)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    float part[lanes] = {};
    for (std::size_t i = 0; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    out[0] = 0;
    for (float const p : part) out[0] += p;
}
)";

int main()
{
    attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int)>
        product_kernel{"product", attune::source_text(product_text, "product.kernel.cpp"),
                       attune::space(rows, columns).where(n % rows == 0, n % columns == 0)};
    product_kernel.bind<3>(n);
    attune::tuned product{product_kernel, attune::clang_compiler{}};
    attune::kernel<void(std::span<float const>, std::span<float>)> const total_kernel{
        "total", attune::source_text(total_text, "total.kernel.cpp"), attune::space(lanes)};
    attune::tuned total{total_kernel, attune::clang_compiler{}};

    int const size = 192;
    std::vector<float> a(size * size, 0.5f), b = a, c(a.size()), out(1);
    attune::together_report const r = attune::tune_together(
        {.evaluations = 24, .seconds = 30},
        attune::share(product, a, b, c, size).calls(48), // layers of a network
        attune::share(total, c, out).calls(2));

    std::printf("%s\n", r.summary().c_str());
    product(a, b, c, size); // the winners serve from the first call on
    total(c, out);
    std::printf("%.0f\n", static_cast<double>(out[0]));
}
// prints:
// product: #x faster than the default: *
// total: *
// together: #x faster than the defaults: *; # evaluations in #*
// 1769472
