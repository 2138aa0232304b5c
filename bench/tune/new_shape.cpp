// bench.tune.new_shape : what verifying a variant at a new shape costs beside the runs (256 MB resident).
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/tune/shape/shape_check.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <sys/mman.h>
#include <vector>

#include "../support/arguments.hpp"

namespace {

using signature = void(std::span<float const>, std::span<float>);
constexpr std::size_t resident_bytes = std::size_t{256} << 20;

void assign(std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i];
}
void add(std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += 2 * x[i];
}
/// In blocks: other code, other rounding in no element.
void assign_blocks(std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); i += 64)
        for (std::size_t k = i; k < std::min(i + 64, y.size()); ++k)
            y[k] = 2 * x[k];
}
void add_blocks(std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); i += 64)
        for (std::size_t k = i; k < std::min(i + 64, y.size()); ++k)
            y[k] += 2 * x[k];
}

double ms_of(std::function<void()> const& f)
{
    auto const begun = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
        .count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

attune::callable code(signature* f)
{
    attune::callable made;
    made.address = reinterpret_cast<void*>(f);
    return made;
}

int run()
{
    // The host's own memory, which a fork would copy the page tables of.
    void* const much =
        ::mmap(nullptr, resident_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (much == MAP_FAILED) return EXIT_FAILURE;
    ::madvise(much, resident_bytes, MADV_NOHUGEPAGE);
    std::memset(much, 1, resident_bytes);

    attune::kernel<signature> const kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                           attune::space(attune::integer<"A">(1, 2))};
    struct one {
        char const* name;
        signature* trusted;
        signature* tried;
    };
    double worst = 0;
    for (std::size_t const bytes :
         {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{64} << 20})
        for (one const& what :
             {one{"assign", assign, assign_blocks}, one{"add", add, add_blocks}}) {
            std::vector<float> x(bytes / sizeof(float));
            std::vector<float> y(bytes / sizeof(float), 1.0F);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = static_cast<float>(i % 1000) * 0.37F;
            attune::call_frame const frame =
                attune::detail::make_call_frame({}, std::span<float const>(x), std::span<float>(y));
            std::vector<double> copies;
            for (int i = 0; i < 7; ++i)
                copies.push_back(ms_of([&] {
                    std::vector<float> const a(x);
                    std::vector<float> const b(y);
                    asm volatile("" ::"r"(a.data()), "r"(b.data()) : "memory");
                }));
            std::vector<float> into_x(x);
            std::vector<float> into_y(y);
            std::vector<double> warm;
            for (int i = 0; i < 7; ++i)
                warm.push_back(ms_of([&] {
                    std::memcpy(into_x.data(), x.data(), bytes);
                    std::memcpy(into_y.data(), y.data(), bytes);
                    asm volatile("" ::: "memory");
                }));
            std::vector<double> rest;
            unsigned executions = 0;
            int const rounds = bytes > (std::size_t{1} << 24) ? 7 : 41;
            for (int i = 0; i < rounds; ++i) {
                attune::shape_verdict const said =
                    attune::detail::verify_shape(kernel.describe(), frame, code(what.trusted),
                                                 code(what.tried), {.check_s = 10});
                if (said.how != attune::shape_verdict::ending::right) {
                    std::fprintf(stderr, "not right: %s\n", said.why.reason.c_str());
                    return EXIT_FAILURE;
                }
                rest.push_back(1e3 * (said.elapsed_s - said.runs_s));
                executions = said.executions;
            }
            double const allowed = 3 + 4 * median(copies);
            double const ms = median(rest);
            worst = std::max(worst, ms / allowed);
            std::printf("kernel=%s bytes=%zu executions=%u new_shape_ms=%.3f copy_ms=%.3f "
                        "warm_copy_ms=%.3f allowed_ms=%.3f\n",
                        what.name, bytes, executions, ms, median(copies), median(warm), allowed);
        }
    std::printf("total worst_of_allowed=%.2f\n", worst);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of("bench.tune.new_shape", [&] {
        bench::read_arguments(argc, argv, {});
        return run();
    });
}
