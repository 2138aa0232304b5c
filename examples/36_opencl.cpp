// 36 - OpenCL: one kernel on arrays of the host, and a tiled product on buffers of the device.
// Needs no OpenCL header or library to build; where there is no device it says so and ends.
#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto group = attune::ordinal<"GROUP">(attune::powers_of_two(1, 256));
inline constexpr auto each = attune::ordinal<"EACH">(attune::powers_of_two(1, 16));
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(2, 32));
inline constexpr auto lines = attune::space(group.with_default(64), each);
inline constexpr auto tiles = attune::space(tile);

static char const* const text = R"(
#include <attune/tunable.hpp>
kernel void saxpy(global float const* x, global float* y, float a, int n)
{
    int const first = get_group_id(0) * GROUP * ATTUNE_TUNABLE(EACH, 1) + get_local_id(0);
    for (int i = first; i < min(first + GROUP * EACH, n); i += GROUP) y[i] = a * x[i] + y[i];
}
)";

static char const* const product_text = R"(
#include <attune/tunable.hpp>
#define TILE_ ATTUNE_TUNABLE(TILE, 8)
kernel void product(global float const* a, global float const* b, global float* c, int n,
                    local float* panel) // the dynamic local memory is the last argument
{
    int const row = get_local_id(1), column = get_local_id(0);
    int const i = get_global_id(1), j = get_global_id(0);
    local float* const right = panel + TILE_ * TILE_;
    float sum = 0;
    for (int k = 0; k < n; k += TILE_) {
        panel[row * TILE_ + column] = a[i * n + k + column];
        right[row * TILE_ + column] = b[(k + row) * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < TILE_; ++l) sum += panel[row * TILE_ + l] * right[l * TILE_ + column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[i * n + j] = sum;
}
)";

int main()
{
    attune::opencl_compiler const compiler;
    if (std::string const why = compiler.missing(); !why.empty()) { // no library or no device
        std::printf("skipped: %s\n", why.c_str());
        return 0;
    }
    attune::kernel<void(std::span<float const>, std::span<float>, float, int)> kernel{
        "saxpy", attune::source_text(text, "saxpy.cl"), lines};
    kernel.bind<3>(n).grid(attune::ceil_div(n, group * each)).block(group); // work-groups, items
    std::vector<float> const x(1 << 16, 1.0f);
    std::vector<float> y(1 << 16, 2.0f);
    attune::tuning_options quick{.limits = {.evaluations = 5, .seconds = 2}};
    quick.measuring.precision = 0.2; // a short demonstration
    attune::tuned saxpy{kernel, compiler, quick};
    saxpy(x, y, 3.0f, 1 << 16);
    std::printf("y[0] = %.0f\n%s\n", static_cast<double>(y[0]), saxpy.report().summary().c_str());
    attune::opencl_array<float> const a{compiler.target(), std::vector<float>(256 * 256, 1.0f)};
    attune::opencl_array<float> c{compiler.target(), std::size_t{256 * 256}};
    using buffer = attune::device_span<float const>;
    attune::kernel<void(buffer, buffer, attune::device_span<float>, int)> tiled{
        "product", attune::source_text(product_text, "product.cl"), tiles};
    tiled.bind<3>(n).grid(n / tile, n / tile).block(tile, tile).shared_bytes(8 * tile * tile);
    attune::tuned product{tiled, compiler, quick};
    product(a.span(), a.span(), c.span(), 256);
    std::printf("c[0] = %.0f, %s\n", static_cast<double>(c.to_host()[0]),
                product.report().configuration.c_str());
}
// prints:
// y[0] = 5
// * GROUP=# EACH=# *
// c[0] = 256, TILE=#
