// bench.tune.sizes : what sizes lose that were not tuned, but served by what others found.
// SPDX-License-Identifier: MIT
//
// Run      ATTUNE_CACHE=off bench.tune.sizes [--kernels NAME[,NAME...]] [--evaluations 60]
// [--sizes 12] [--seed 0]
//          The second, the middle and the last but one of the sizes are tuned into a store; each of
//          the others is called with nothing but that store, then tuned with 10 evaluations over
//          it, and with all of them over nothing.
// Prints   a line for each unseen size: what served its first call, how long that call took
//          (look-up, compilation and verification), runs for the verification, and the times of the
//          served configuration and of that after 10 evaluations over the time of its own full
//          tuning, in turns. A line for each kernel, and one for all: the geometric means of these
//          ratios less 1. Ends with 1 where a result is wrong.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "../../examples/kernels/convolution2d.hpp"
#include "../../examples/kernels/sgemm.hpp"
#include "../../examples/kernels/stencil2d.hpp"
#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"

namespace {

inline constexpr auto size = attune::input<"N", int>();

/// A kernel of the suite, and the argument that is its size.
template <class Kernel, std::size_t At>
struct sized {
    using data = Kernel;
    static attune::kernel<typename Kernel::signature> declared()
    {
        attune::kernel<typename Kernel::signature> out{
            Kernel::name, Kernel::kernel().describe().source, Kernel::space.where(size > 0)};
        out.work(Kernel::cost);
        out.template bind<At>(size);
        return out;
    }
};
struct product : sized<kernels::sgemm, 3> {
    static kernels::sgemm of_size(int n) { return {.n = n}; }
    static constexpr int smallest = 96, largest = 768;
};
struct stencil : sized<kernels::stencil2d, 2> {
    static kernels::stencil2d of_size(int n) { return {.height = n, .width = n + n / 3}; }
    static constexpr int smallest = 200, largest = 2'400;
};
struct convolution : sized<kernels::convolution2d, 3> {
    static kernels::convolution2d of_size(int n) { return {.height = n, .width = n + n / 3}; }
    static constexpr int smallest = 100, largest = 900;
};

struct arguments {
    std::string kernels{};
    std::uint32_t evaluations = 60;
    std::size_t sizes = 12;
    std::uint32_t seed = 0;
};

/// Logarithms of ratios, and what the first calls took.
struct losses {
    std::vector<double> served{}, after_10{}, look_ms{};

    void add(losses const& other)
    {
        served.insert(served.end(), other.served.begin(), other.served.end());
        after_10.insert(after_10.end(), other.after_10.begin(), other.after_10.end());
        look_ms.insert(look_ms.end(), other.look_ms.begin(), other.look_ms.end());
    }
    [[nodiscard]] static double of(std::vector<double> const& logs)
    {
        double sum = 0;
        for (double const one : logs)
            sum += one;
        return logs.empty() ? 0 : std::exp(sum / static_cast<double>(logs.size())) - 1;
    }
    void print(char const* name) const
    {
        std::printf("%s sizes=%zu look_ms=%.0f served_loss=%.4f loss_after_10=%.4f\n", name,
                    served.size(), bench::median(look_ms), of(served), of(after_10));
        std::fflush(stdout);
    }
};

std::vector<int> sizes_between(int smallest, int largest, std::size_t count)
{
    std::vector<int> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<int>(std::lround(
            smallest * std::pow(static_cast<double>(largest) / smallest,
                                static_cast<double>(i) / static_cast<double>(count - 1)))));
    return out;
}

attune::tuning_options options_of(arguments const& asked, std::uint64_t evaluations)
{
    attune::tuning_options out;
    out.limits = {.evaluations = evaluations};
    out.search.seed = asked.seed;
    out.progress = attune::silent_progress();
    return out;
}

/// A folder of its own that goes with this.
struct folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("bench.tune.sizes." + std::to_string(::getpid()));
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;

    [[nodiscard]] std::string file(char const* name) const { return (path / name).string(); }
    /// A store that knows what `known` does, and keeps what it learns to itself.
    [[nodiscard]] attune::store copy_of(std::string const& known) const
    {
        std::string const copy = file("copy");
        std::filesystem::copy_file(known, copy, std::filesystem::copy_options::overwrite_existing);
        return attune::store{copy};
    }
};

template <class Kernel, class Store>
using tuned_kernel = attune::tuned<typename Kernel::signature, attune::clang_compiler, Store>;

/// @return  milliseconds  Errors  std::runtime_error: the result is wrong
template <class Data>
double call(auto& tuned, Data& data)
{
    auto const begin = std::chrono::steady_clock::now();
    data.call(tuned);
    std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - begin;
    if (std::string const wrong = kernels::difference(data.result(), data.expected(), 2e-3);
        !wrong.empty())
        throw std::runtime_error(std::string(Data::name) + ": " + wrong);
    return took.count();
}

template <class Subject>
losses run_kernel(arguments const& asked)
{
    using data_type = typename Subject::data;
    auto const kernel = Subject::declared();
    attune::clang_compiler const compiler;
    std::vector<int> const sizes = sizes_between(Subject::smallest, Subject::largest, asked.sizes);
    std::vector<std::size_t> const seen{1, sizes.size() / 2, sizes.size() - 2};
    folder const here;
    std::string const known = here.file("known");
    for (std::size_t const i : seen) {
        tuned_kernel<data_type, attune::store> one{kernel, compiler, attune::store{known},
                                                   options_of(asked, asked.evaluations)};
        auto data = Subject::of_size(sizes[i]);
        call(one, data);
        std::printf("tuned %s n=%d %s\n", data_type::name, sizes[i],
                    one.report().summary().c_str());
    }
    losses out;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (std::find(seen.begin(), seen.end(), i) != seen.end()) continue;
        auto data = Subject::of_size(sizes[i]);
        attune::tuning_options at_once = options_of(asked, asked.evaluations);
        at_once.on_miss = attune::miss_policy::lookup_only;
        tuned_kernel<data_type, attune::store> served{kernel, compiler, here.copy_of(known),
                                                      at_once};
        out.look_ms.push_back(call(served, data));
        attune::known_choice choice;
        data.call([&](auto&... args) { choice = served.explain(args...); });
        tuned_kernel<data_type, attune::store> after_10{kernel, compiler, here.copy_of(known),
                                                        options_of(asked, 10)};
        call(after_10, data);
        tuned_kernel<data_type, attune::memory_store> full{kernel, compiler, attune::memory_store{},
                                                           options_of(asked, asked.evaluations)};
        call(full, data);
        double const once_s = full.report().best.value;
        auto const rounds = static_cast<std::size_t>(std::clamp(1.0 / once_s, 15.0, 2'000.0));
        std::vector<double> const seconds = bench::interleaved_medians(
            {[&] { data.call(served); }, [&] { data.call(after_10); }, [&] { data.call(full); }},
            rounds);
        out.served.push_back(std::log(seconds[0] / seconds[2]));
        out.after_10.push_back(std::log(seconds[1] / seconds[2]));
        std::printf("size %s n=%d look_ms=%.0f runs=%llu served=%.3f after_10=%.3f full_ms=%.3f "
                    "choice=\"%s\" full=\"%s\"\n",
                    data_type::name, sizes[i], out.look_ms.back(),
                    static_cast<unsigned long long>(served.report().shapes.executions),
                    seconds[0] / seconds[2], seconds[1] / seconds[2], 1e3 * seconds[2],
                    choice.text().c_str(), full.report().configuration.c_str());
        std::fflush(stdout);
    }
    out.print(data_type::name);
    return out;
}

int run(arguments const& asked)
{
    bench::require_known("--kernels", asked.kernels,
                         {product::data::name, stencil::data::name, convolution::data::name});
    losses all;
    auto const add = [&]<class Subject>() {
        if (bench::is_in(asked.kernels, Subject::data::name)) all.add(run_kernel<Subject>(asked));
    };
    add.template operator()<product>();
    add.template operator()<stencil>();
    add.template operator()<convolution>();
    all.print("total");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &asked.kernels},
                               {"--evaluations", &asked.evaluations, 11},
                               {"--sizes", &asked.sizes, 6},
                               {"--seed", &asked.seed}});
        return run(asked);
    });
}
