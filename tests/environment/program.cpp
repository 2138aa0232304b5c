// tests/environment/program.cpp - a host that knows nothing of where it runs: it calls a kernel, and looks at the result.
// SPDX-License-Identifier: MIT
//
//   program [--store FILE] [--locale] [--handler]
//
// Prints `calls= wrong= how= secure=`, the reason and the notices of the report; ends with 1 where
// a result is wrong and with 3 where a call threw. Its kernel is compiled into it by
// attune_add_kernel.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/source/source.hpp>

#include <atomic>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace {

constexpr auto block = attune::ordinal<"BLOCK">(attune::values(1, 4, 8));
constexpr auto blocks = attune::space(block);

/// A page that a handler of the host's opens whenever it is touched, as a garbage collector does.
char* page = nullptr;
std::atomic<int> opened{0};
constexpr std::size_t page_bytes = 4096;

void open_page(int, siginfo_t* what, void*)
{
    auto* const at = static_cast<char*>(what->si_addr);
    if (at < page || at >= page + page_bytes) std::_Exit(9); // a fault that is not this host's
    ::mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
    ++opened;
}

class touching_thread {
public:
    touching_thread()
    {
        page = static_cast<char*>(
            ::mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        struct sigaction mine{};
        mine.sa_sigaction = &open_page;
        mine.sa_flags = SA_SIGINFO;
        ::sigaction(SIGSEGV, &mine, nullptr);
        thread_ = std::thread([this] {
            while (!over_) {
                ::mprotect(page, page_bytes, PROT_NONE);
                *static_cast<char volatile*>(page) = 1;
                ++touched_;
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
    }
    ~touching_thread()
    {
        over_ = true;
        thread_.join();
        std::printf("touched=%d opened=%d\n", touched_.load(), opened.load());
    }

private:
    std::atomic<bool> over_{false};
    std::atomic<int> touched_{0};
    std::thread thread_;
};

[[nodiscard]] char const* name_of(attune::decision how)
{
    switch (how) {
    case attune::decision::nothing_yet:
        return "nothing_yet";
    case attune::decision::tuned:
        return "tuned";
    case attune::decision::kept_default:
        return "kept_default";
    case attune::decision::remembered:
        return "remembered";
    case attune::decision::served_near:
        return "served_near";
    case attune::decision::served_forced:
        return "served_forced";
    case attune::decision::served_default:
        return "served_default";
    case attune::decision::served_fallback:
        return "served_fallback";
    case attune::decision::call_failed:
        return "call_failed";
    }
    return "?";
}

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
    std::printf("how=%s\n", name_of(first.how));
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
    bool handler = false;
    for (int i = 1; i < argc; ++i) {
        std::string const word = argv[i];
        if (word == "--store" && i + 1 < argc) store = argv[++i];
        if (word == "--handler") handler = true;
        if (word == "--locale") {
            bool const set = std::setlocale(LC_ALL, "") != nullptr;
            std::printf("locale=%d point=%s\n", set, std::localeconv()->decimal_point);
        }
    }
    int code = 0;
    try {
        std::optional<touching_thread> touching;
        if (handler) touching.emplace();
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
