// tests/host/scale.cpp - the kernel, behind scale.hpp.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>

#include <functional>
#include <span>

#include "scale.hpp"

namespace host {

namespace {

constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int block = ATTUNE_TUNABLE(BLOCK, 1);
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void scale(std::span<double const> x, std::span<double> y, int n, double factor)
{
    int i = 0;
    for (; i + block <= n; i += block)
#pragma GCC unroll unroll
        for (int j = 0; j < block; ++j)
            y[i + j] += factor * x[i + j];
    for (; i < n; ++i)
        y[i] += factor * x[i];
}
)";

using signature = void(std::span<double const>, std::span<double>, int, double);

attune::tuning_options options_of(settings const& s)
{
    attune::tuning_options out;
    out.limits.evaluations = s.evaluations;
    out.limits.seconds = s.seconds;
    out.progress = attune::silent_progress();
    if (s.fork_always) out.measuring.protect = attune::isolation::fork;
    return out;
}

template <class Compiler, class Store>
std::function<void(std::span<double const>, std::span<double>, int, double)>
make(settings const& s, Compiler compiler, Store store,
     std::function<attune::tuning_report()>& report, std::function<void(bool)>& destroy)
{
    auto const space = attune::space(attune::ordinal<"BLOCK">(attune::range(1, 96)),
                                     attune::ordinal<"UNROLL">(attune::powers_of_two(1, 16)));
    attune::kernel<signature> kernel{"scale", attune::source_text(text, "scale.cpp"), space};
    kernel.bind<2>(attune::input<"N", int>());
    using tuned = attune::tuned<signature, Compiler, Store>;
    auto* const made = new tuned(kernel, std::move(compiler), std::move(store), options_of(s));
    report = [made] { return made->report(); };
    destroy = [made](bool outlived) {
        if (outlived)
            made->~tuned(); // as of a static object: the storage stays
        else
            delete made;
    };
    return [made](std::span<double const> x, std::span<double> y, int n, double f) {
        (*made)(x, y, n, f);
    };
}

} // namespace

struct scale::parts {
    std::function<attune::tuning_report()> report;
    std::function<void(bool)> destroy;
    bool outlived;
    std::function<void(std::span<double const>, std::span<double>, int, double)> call;

    explicit parts(settings const& s)
        : outlived(s.outlived)
    {
        if (s.system)
            call = make(s, attune::system_compiler{}, attune::memory_store{}, report, destroy);
        else if (s.store.empty())
            call = make(s, attune::clang_compiler{}, attune::memory_store{}, report, destroy);
        else
            call = make(s, attune::clang_compiler{}, attune::store{s.store}, report, destroy);
    }
};

scale::scale(settings const& s)
    : parts_(new parts(s))
{
}

scale::~scale()
{
    parts_->destroy(parts_->outlived);
    if (!parts_->outlived) delete parts_;
}

void scale::operator()(std::vector<double> const& x, std::vector<double>& y, double factor)
{
    parts_->call(x, y, static_cast<int>(x.size()), factor);
}

scale::told scale::report() const
{
    attune::tuning_report const r = parts_->report();
    told out{r.evaluations,
             attune::total(r.failures),
             r.interrupted,
             r.elapsed_s,
             r.speedup,
             r.isolation,
             {}};
    for (std::string const& said : r.notices)
        out.notices += said + '\n';
    return out;
}

} // namespace host
