// 30 - sizes: a product that was tuned at one size serves others.
// Shows declared lengths of arrays, and the number of calls that the default still serves.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <random>
#include <span>
#include <vector>

inline constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4));
inline constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(1, 8, 16));
inline constexpr auto space = attune::space(rows, columns);

static constexpr char const* product_text = R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 1);
template <int R, int C>
static void block(float const* a, float const* b, float* c, int n, int k)
{
    float sum[R][C] = {};
    for (int l = 0; l < k; ++l)
        for (int r = 0; r < R; ++r)
            for (int s = 0; s < C; ++s) sum[r][s] += a[r * k + l] * b[l * n + s];
    for (int r = 0; r < R; ++r)
        for (int s = 0; s < C; ++s) c[r * n + s] = sum[r][s];
}
void product(std::span<float const> a, std::span<float const> b, std::span<float> c, int m, int n, int k)
{
    int i = 0;
    for (; i + rows <= m; i += rows) {
        int j = 0;
        for (; j + columns <= n; j += columns)
            block<rows, columns>(&a[0] + i * k, &b[0] + j, &c[0] + i * n + j, n, k);
        for (; j < n; ++j) block<rows, 1>(&a[0] + i * k, &b[0] + j, &c[0] + i * n + j, n, k);
    }
    for (; i < m; ++i)
        for (int j = 0; j < n; ++j) block<1, 1>(&a[0] + i * k, &b[0] + j, &c[0] + i * n + j, n, k);
}
)";

int main()
{
    attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int, int,
                        int)>
        kernel{"product", attune::source_text(product_text, "product.kernel.cpp"), space};
    constexpr auto m = attune::argument<3>;
    constexpr auto n = attune::argument<4>;
    constexpr auto k = attune::argument<5>;
    kernel.lengths(m * k, k * n, m * n); // optional: attune guesses such lengths

    attune::tuned product{kernel, attune::clang_compiler{}, {.limits = {.evaluations = 9}}};
    std::mt19937 random(1);
    auto const call = [&](int of_m, int of_n, int of_k) {
        std::vector<float> a(static_cast<std::size_t>(of_m * of_k), 1.0f);
        std::vector<float> b(static_cast<std::size_t>(of_k * of_n), 2.0f);
        std::vector<float> c(static_cast<std::size_t>(of_m * of_n));
        product(a, b, c, of_m, of_n, of_k);
        return c.back();
    };
    call(64, 64, 64); // tunes, and the winner proves itself on other sizes
    for (int i = 0; i < 100; ++i) {
        auto const size = [&] { return 1 + static_cast<int>(random() % 128); };
        call(size(), size(), size());
    }
    attune::served_shapes const shapes = product.report().shapes;
    std::printf("of 100 sizes the default served %llu\n",
                static_cast<unsigned long long>(shapes.by_default));
}
// prints:
// of 100 sizes the default served #
