// tests/environment/program.cpp - a host that knows nothing of where it runs: it calls a kernel, and looks at the result.
// SPDX-License-Identifier: MIT
//
//   program [--store FILE] [--locale]
//
// Prints `calls= wrong= how= secure=`, the reason and the notices of the report; ends with 1 where
// a result is wrong and with 3 where a call threw. Its kernel is compiled into it by
// attune_add_kernel.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/source/source.hpp>

#include <clocale>
#include <cstdio>
#include <exception>
#include <string>
#include <sys/auxv.h>
#include <vector>

namespace {

constexpr auto block = attune::ordinal<"BLOCK">(attune::values(1, 4, 8));
constexpr auto blocks = attune::space(block);

/// Of attune::decision, in its order.
constexpr char const* names_of_decisions[] = {"nothing_yet",    "tuned",           "kept_default",
                                              "remembered",     "served_near",     "served_forced",
                                              "served_default", "served_fallback", "call_failed"};

int calls = 0;
int wrong = 0;

template <class Tuned>
void call(Tuned& scale, std::size_t n, int factor)
{
    std::vector<float> x(n);
    std::vector<float> y(n + 1, -7.0f);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<float>(i % 1000);
    scale(x, std::span(y).first(n), factor);
    ++calls;
    bool right = y[n] == -7.0f;
    for (std::size_t i = 0; i < n; ++i)
        right = right && y[i] == static_cast<float>(factor) * x[i] + 1.0f;
    if (!right) ++wrong;
}

template <class Store>
void run(Store store)
{
    attune::kernel<void(std::span<float const>, std::span<float>, int)> const kernel{
        "scale", attune::embedded_source("scale.kernel.cpp"), blocks};
    attune::tuning_options options{.limits = {3, 3.0}};
    attune::tuned scale{kernel, attune::clang_compiler{}, std::move(store), options};
    call(scale, 50'000, 3);
    attune::tuning_report const first = scale.report();
    for (std::size_t const n : {50'000u, 1'003u, 17u, 0u, 49'999u, 50'000u})
        call(scale, n, 5);
    std::printf("how=%s\n", names_of_decisions[static_cast<int>(first.how)]);
    std::printf("reason=%s\nisolation=%s\n", first.reason.c_str(), first.isolation.c_str());
    for (std::string const& notice : first.notices)
        std::printf("notice=%s\n", notice.c_str());
    for (attune::failure const& f : first.first_failures)
        std::printf("failure=%s\n", f.reason.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    std::string store;
    for (int i = 1; i < argc; ++i) {
        std::string const word = argv[i];
        if (word == "--store" && i + 1 < argc) store = argv[++i];
        if (word == "--locale") {
            bool const set = std::setlocale(LC_ALL, "") != nullptr;
            std::printf("locale=%d point=%s\n", set, std::localeconv()->decimal_point);
        }
    }
    int code = 0;
    try {
        if (store.empty())
            run(attune::memory_store{});
        else
            run(attune::store{store});
    } catch (std::exception const& thrown) {
        std::printf("threw=%s\n", thrown.what());
        code = 3;
    }
    if (wrong > 0) code = 1;
    std::printf("calls=%d wrong=%d secure=%lu\n", calls, wrong, ::getauxval(AT_SECURE));
    return code;
}
