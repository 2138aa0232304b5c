// bench.tune.shapes : what escapes when one variant serves calls of many shapes, and what it costs.
// SPDX-License-Identifier: MIT
//
//   bench.tune.shapes [--calls 10000] [--from 0] [--seed 1] [--repeat]
//
// Kernels whose variant is wrong along one path each are tuned where it is right, then called.
// 45 (bench/support/wrong_paths.hpp) have sizes in 1..2^20 that all differ; 35
// (bench/support/wrong_products.hpp) are products of small matrices with scalars, overlaps and
// state. --from leaves out the first ones. A line for each kernel (refused=1: the variant lost in
// its trial, so the default served all); then
//   calls       after the tunings
//   escapes     calls that came back wrong, and the upper end of the 95 % interval of their share;
//               without those along contents and races, of which nothing is promised
//   sizes ... races  calls that came back wrong, by what decides where the kernel is wrong
//   verified    share of the calls before which the variant was verified
//   by_class    share of the calls served by the variant because its class had proven itself
//   by_default  share of the calls served by the default
//   new_shape_runs  executions per verified shape; new_shape_ms: the rest of its time, median over
//                   kernels; copies_ms: four copies of the arrays, for comparison
//   proof_ms    once for a variant: it runs on smaller calls that can be made of a real one
//   dispatch_ns a call of a known shape with three integers, over the raw pointer
// --repeat goes through 32 sizes again and again instead, as programs with a few sizes do.
#include <attune/attune.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "../support/shape_calls.hpp"
#include "../support/wrong_products.hpp"

namespace {

using bench::faults;
using bench::shape_arrays;
using bench::wrong_along;
using bench::wrong_products;
using shape = bench::shape_choice;

constexpr std::size_t most_elements = std::size_t{1} << 20;

attune::tuning_options quick()
{
    attune::tuning_options out;
    out.limits = {2, 2.0};
    out.progress = attune::silent_progress();
    return out;
}

/// Uniform in 1..2^20, as one size or as a product; the places are those that allocators give.
shape random_shape(std::mt19937_64& random, bool has_rows)
{
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    shape out;
    if (has_rows) {
        out.m = 1 + static_cast<int>(below(1'024));
        out.n = 1 + static_cast<int>(below(1'024));
    } else
        out.n = 1 + static_cast<int>(below(most_elements));
    out.x_from = 4 * below(4);
    out.y_from = 4 * below(4);
    if (!has_rows && below(20) == 0) {
        out.is_shared = true;
        if (below(2) == 0) out.x_from = out.y_from;
    }
    return out;
}

shape tuning_shape(shape_arrays& arrays, bench::fault const& of)
{
    std::mt19937_64 random(99);
    for (;;) {
        shape s = random_shape(random, of.has_rows);
        if (s.n > 4'096) s.n = s.n % 4'096 + 1;
        if (!of.is_wrong(arrays.seen(s))) return s;
    }
}

double four_copies_ms(std::size_t bytes)
{
    std::vector<std::byte> from(bytes, std::byte{1});
    double const begin = bench::thread_seconds();
    for (int i = 0; i < 4; ++i) {
        std::vector<std::byte> to(bytes);
        std::memcpy(to.data(), from.data(), bytes);
    }
    return 1e3 * (bench::thread_seconds() - begin);
}

/// The first kernels: one array times 3, added to another.
class path_calls {
public:
    using tuned = attune::tuned<bench::faulty_signature, bench::faulty_compiler>;

    path_calls(std::size_t which, std::uint64_t seed, bool repeats)
        : of_(faults[which])
        , random_(seed + which)
        , repeats_(repeats)
        , call_{bench::faulty_kernel(which), bench::faulty_compiler{which}, quick()}
    {
        for (int i = 0; repeats && i < 32; ++i)
            pool_.push_back(random_shape(random_, of_.has_rows));
    }
    [[nodiscard]] char const* name() const { return of_.name; }
    [[nodiscard]] wrong_along along() const { return of_.along; }
    [[nodiscard]] attune::tuning_report report() const { return call_.report(); }
    /// Calls where the variant is right.
    [[nodiscard]] bool first() { return arrays().is_right(tuning_shape(arrays(), of_), call_); }
    [[nodiscard]] bool next()
    {
        shape s = repeats_ ? pool_[random_() % pool_.size()] : random_shape(random_, of_.has_rows);
        while (!repeats_ && !met_.insert({s.m, s.n}).second)
            s = random_shape(random_, of_.has_rows);
        elements_ += static_cast<double>(s.m) * s.n;
        return arrays().is_right(s, call_);
    }
    [[nodiscard]] double elements() const { return elements_; }

private:
    [[nodiscard]] static shape_arrays& arrays()
    {
        static shape_arrays all(2 * most_elements);
        return all;
    }

    bench::fault const& of_;
    std::mt19937_64 random_;
    bool repeats_;
    tuned call_;
    std::vector<shape> pool_{};
    std::set<std::pair<int, int>> met_{};
    double elements_ = 0;
};

/// The others: matrix products.
class made_products {
public:
    using tuned = attune::tuned<bench::product_signature, bench::product_compiler>;

    made_products(std::size_t which, std::uint64_t seed, bool repeats)
        : of_(wrong_products[which])
        , random_(seed + which)
        , seed_(seed)
        , repeats_(repeats)
        , call_{bench::product_kernel(which), bench::product_compiler{which}, quick()}
    {
    }
    [[nodiscard]] char const* name() const { return of_.name; }
    [[nodiscard]] wrong_along along() const { return of_.along; }
    [[nodiscard]] attune::tuning_report report() const { return call_.report(); }
    [[nodiscard]] bool first()
    {
        std::mt19937_64 random(99);
        bench::product_call of = arrays_.first(random);
        while (of_.along != wrong_along::state && of_.is_wrong(of))
            of = arrays_.first(random);
        return arrays_.is_right(of, call_);
    }
    [[nodiscard]] bool next()
    {
        std::mt19937_64 again(seed_ + random_() % 32);
        bench::product_call const c = arrays_.draw(repeats_ ? again : random_);
        elements_ += static_cast<double>(c.a.size() + c.b.size() + c.c.size()) / 2;
        return arrays_.is_right(c, call_);
    }
    [[nodiscard]] double elements() const { return elements_; }

private:
    bench::wrong_product const& of_;
    std::mt19937_64 random_;
    std::uint64_t seed_;
    bool repeats_;
    tuned call_;
    bench::product_calls arrays_{};
    double elements_ = 0;
};

struct totals {
    std::uint64_t calls = 0;
    std::array<std::uint64_t, bench::wrong_along_names.size()> escapes{}; ///< by wrong_along
    attune::served_shapes shapes{};
    std::vector<double> new_shape_ms{};
    std::vector<double> copies_ms{};
    std::vector<double> proof_ms{};
};

template <class Calls>
void run_kernel(Calls of, std::size_t calls, totals& all)
{
    std::uint64_t escapes = of.first() ? 0 : 1;
    bool const is_tuned = of.report().how == attune::decision::tuned;
    bool const may_be_refused = of.along() == wrong_along::state ||
                                of.along() == wrong_along::contents ||
                                of.along() == wrong_along::races;
    if (!is_tuned && !may_be_refused)
        throw std::runtime_error(std::string("the variant was not installed for ") + of.name());
    for (std::size_t i = 0; i < calls; ++i)
        escapes += of.next() ? 0u : 1u;
    attune::served_shapes const now = of.report().shapes;
    auto const checks = now.verified + now.wrong + now.unknown;
    double const rest_ms =
        checks > 0 ? 1e3 * (now.seconds - now.executed_s) / static_cast<double>(checks) : 0;
    double const copies_ms =
        four_copies_ms(2 * sizeof(std::uint32_t) *
                       static_cast<std::size_t>(of.elements() / static_cast<double>(calls)));
    auto const along = static_cast<std::size_t>(of.along());
    std::printf(
        "%-26s along=%s calls=%zu escapes=%llu refused=%d verified=%llu wrong=%llu unknown=%llu "
        "by_class=%llu by_default=%llu proofs=%llu proof_ms=%.1f new_shape_ms=%.2f "
        "copies_ms=%.2f\n",
        of.name(), bench::wrong_along_names[along], calls, static_cast<unsigned long long>(escapes),
        is_tuned ? 0 : 1, static_cast<unsigned long long>(now.verified),
        static_cast<unsigned long long>(now.wrong), static_cast<unsigned long long>(now.unknown),
        static_cast<unsigned long long>(now.by_class),
        static_cast<unsigned long long>(now.by_default),
        static_cast<unsigned long long>(now.proofs), 1e3 * now.proof_s, rest_ms, copies_ms);
    std::fflush(stdout);
    all.calls += calls;
    all.escapes[along] += escapes;
    all.shapes.verified += now.verified;
    all.shapes.wrong += now.wrong;
    all.shapes.unknown += now.unknown;
    all.shapes.by_class += now.by_class;
    all.shapes.by_default += now.by_default;
    all.shapes.executions += now.executions;
    all.proof_ms.push_back(1e3 * now.proof_s);
    if (checks > 0) {
        all.new_shape_ms.push_back(rest_ms);
        all.copies_ms.push_back(copies_ms);
    }
}

using dispatched = void(std::span<float>, int, int, int);
void touch(std::span<float> x, int a, int b, int c) { x[0] += static_cast<float>(a + b + c); }

struct one_function {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&)
    {
        return attune::callable{reinterpret_cast<void*>(&touch), std::make_shared<int>(0), "touch",
                                0.001, identity()};
    }
    [[nodiscard]] std::string identity() const { return "a function of this program"; }
};

double dispatch_ns()
{
    attune::kernel<dispatched> const kernel{
        "touch", attune::source_text("int step = ATTUNE_TUNABLE(STEP, 1);", "touch.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
    attune::tuned tuned{kernel, one_function{}, quick()};
    std::vector<float> x(64);
    tuned(x, 1, 2, 3);
    dispatched* const volatile hidden = &touch;
    dispatched* const raw = hidden;
    constexpr int calls = 200'000;
    auto const medians = bench::interleaved_medians({[&] {
                                                         for (int i = 0; i < calls; ++i)
                                                             raw(x, 1, 2, 3);
                                                     },
                                                     [&] {
                                                         for (int i = 0; i < calls; ++i)
                                                             tuned(x, 1, 2, 3);
                                                     }},
                                                    21);
    return 1e9 * (medians[1] - medians[0]) / calls;
}

int run(int argc, char** argv)
{
    std::size_t calls = 10'000;
    std::size_t seed = 1;
    std::size_t from = 0;
    bool repeats = false;
    constexpr std::size_t kernels = faults.size() + wrong_products.size();
    bench::read_arguments(argc, argv,
                          {{"--calls", &calls, kernels},
                           {"--from", &from},
                           {"--seed", &seed},
                           {"--repeat", &repeats}});
    from = std::min(from, kernels - 1);
    totals all;
    std::size_t left = calls;
    for (std::size_t which = from; which < kernels; ++which) {
        std::size_t const share = left / (kernels - which);
        left -= share;
        if (which < faults.size())
            run_kernel(path_calls(which, seed, repeats), share, all);
        else
            run_kernel(made_products(which - faults.size(), seed, repeats), share, all);
    }
    auto const escapes_along = [&](wrong_along one) {
        return all.escapes[static_cast<std::size_t>(one)];
    };
    std::uint64_t promised = 0;
    for (std::size_t i = 0; i < all.escapes.size(); ++i)
        promised += all.escapes[i];
    promised -= escapes_along(wrong_along::contents) + escapes_along(wrong_along::races);
    double const n = static_cast<double>(all.calls);
    double const p = static_cast<double>(promised) / n;
    // Rule of three without an escape; else the normal approximation.
    double const upper = promised == 0 ? 3 / n : p + 1.96 * std::sqrt(p * (1 - p) / n);
    auto const checks = all.shapes.verified + all.shapes.wrong + all.shapes.unknown;
    std::printf("total kernels=%zu calls=%llu escapes=%llu escapes_95=%.5f", kernels - from,
                static_cast<unsigned long long>(all.calls),
                static_cast<unsigned long long>(promised), upper);
    for (std::size_t i = 0; i < all.escapes.size(); ++i)
        std::printf(" %s=%llu", bench::wrong_along_names[i],
                    static_cast<unsigned long long>(all.escapes[i]));
    std::printf(
        " verified=%.4f by_class=%.4f by_default=%.4f "
        "new_shape_runs=%.2f new_shape_ms=%.2f copies_ms=%.2f proof_ms=%.1f dispatch_ns=%.1f\n",
        static_cast<double>(checks) / n, static_cast<double>(all.shapes.by_class) / n,
        static_cast<double>(all.shapes.by_default) / n,
        checks > 0 ? static_cast<double>(all.shapes.executions) / static_cast<double>(checks) : 0.0,
        all.new_shape_ms.empty() ? 0.0 : bench::median(all.new_shape_ms),
        all.copies_ms.empty() ? 0.0 : bench::median(all.copies_ms), bench::median(all.proof_ms),
        dispatch_ns());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of("bench.tune.shapes", [&] { return run(argc, argv); });
}
