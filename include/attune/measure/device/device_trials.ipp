// attune/measure/device/device_trials.ipp - runs variants, checks results, learns from the default.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/device/device_trials.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Larger arrays are not perturbed, because the host does it.
inline constexpr std::size_t most_perturbed_bytes = std::size_t{256} << 20;

/// Copies of the device's written arrays in host memory; read-only arrays have no content here.
class arrays_on_host {
public:
    arrays_on_host(std::span<device_buffer const> buffers, device_copies& from)
        : bytes_(buffers.size())
    {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            buffer b = buffers[i].where;
            if (b.writable) bytes_[i] = from.contents(i);
            b.data = bytes_[i].data();
            buffers_.push_back(b);
        }
    }
    [[nodiscard]] std::span<buffer const> buffers() const noexcept { return buffers_; }
    void store_to(device_copies& to) const
    {
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            to.set_contents(i, bytes_[i]);
    }

private:
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<buffer> buffers_;
};

/// Returns true if no written array overlaps another array.
[[nodiscard]] inline bool are_apart(device_layout const& layout)
{
    return std::all_of(layout.regions.begin(), layout.regions.end(),
                       [](device_region const& r) { return !r.writable || r.members.size() == 1; });
}

ATTUNE_INLINE device_trials::device_trials(std::shared_ptr<device_session> where,
                                           device_call const& call,
                                           device_bench_options const& options, device_clock& clock)
    : where_(std::move(where))
    , buffers_(call.buffers)
    , compares_(options.compare_results)
    , may_perturb_(options.perturb)
    , repeats_default_(options.repeat_default)
    , clock_(clock)
    , copies_(where_, call)
    , compare_(where_, options.comparison)
{
    take_over();
}

/// Frees old copies first, because the device may have room for one set only.
ATTUNE_INLINE void device_trials::take_over()
{
    original_ = {};
    inputs_ = {};
    perturbed_.reset();
    policy_.forget();
    copies_.load();
    original_ = save_written();
    inputs_ = copies_.save(region_kind::read, clock_);
    inputs_may_differ_ = false;
}

ATTUNE_INLINE saved_contents device_trials::save_written()
{
    saved_contents saved = copies_.save(region_kind::written, clock_);
    if (copies_.is_whole(saved)) return saved;
    throw error("the device is out of memory",
                "another copy of all arrays that are written takes " +
                    std::to_string(copies_.writable_bytes()) + " bytes on " + where_->name(),
                "free other arrays on the device, or tune on a smaller problem");
}

ATTUNE_INLINE device_trials::expectation device_trials::expect_what_is_there()
{
    expectation out{save_written(), std::vector<double>(buffers_.size())};
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        buffer const& b = buffers_[i].where;
        if (compares_ && b.writable && b.within.relative > 0)
            out.rms[i] = compare_.root_mean_square(b, copies_.address(i));
    }
    return out;
}

ATTUNE_INLINE std::string device_trials::difference(expectation const& want)
{
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        if (!buffers_[i].where.writable) continue;
        device_reference const right{memory_place::device, copies_.address_in(want.after, i),
                                     want.rms[i]};
        if (auto const found =
                compare_.compare(buffers_[i].where, copies_.address(i), right, clock_))
            return found->text();
    }
    return {};
}

/// Describes a write outside of the writable arrays; empty if there was none.
ATTUNE_INLINE std::string device_trials::forbidden_writes()
{
    std::string said = copies_.damage();
    for (std::size_t i = 0; i < buffers_.size() && said.empty(); ++i) {
        if (copies_.layout().regions[copies_.layout().of[i].region].writable) continue;
        device_reference before{memory_place::device, copies_.address_in(inputs_, i)};
        if (before.at == 0) {
            if (buffers_[i].place == memory_place::device) continue; // no room for a copy
            before = {memory_place::host, reinterpret_cast<std::uintptr_t>(buffers_[i].where.data)};
        }
        buffer bytes = buffers_[i].where;
        std::size_t const width = element_bytes(bytes.type);
        bytes.type = element_type::opaque;
        bytes.run_count = 0;
        bytes.within = {};
        if (auto const found = compare_.compare(bytes, copies_.address(i), before, clock_))
            said = argument_text(buffers_[i]) + " is only to be read, but its element " +
                   std::to_string(found->element / width) + " was written";
    }
    inputs_may_differ_ = !said.empty();
    is_spoilt_ = is_spoilt_ || inputs_may_differ_;
    return said;
}

ATTUNE_INLINE double device_trials::run_from(saved_contents const& begin, expectation const* want,
                                             std::function<void()> const& enqueue, double limit_s)
{
    if (inputs_may_differ_) copies_.restore(inputs_, clock_);
    inputs_may_differ_ = true; // reset if nothing forbidden was written
    copies_.restore(begin, clock_);
    copies_.mend_zones(clock_);
    clock_.wait(limit_s + comparing_limit_s);
    double const took_s = clock_.time(enqueue, limit_s);
    std::string said = forbidden_writes();
    if (said.empty() && want != nullptr && compares_) said = difference(*want);
    if (!said.empty()) throw stopped{{failure_stage::verify, said}};
    return took_s;
}

struct device_trials::place::on_host : detail::arrays_on_host {
    using detail::arrays_on_host::arrays_on_host;
};

ATTUNE_INLINE device_trials::place::place(device_trials& of,
                                          std::span<std::vector<std::byte> const> given)
    : of_(of)
    , given_(given)
{
}
ATTUNE_INLINE device_trials::place::~place() = default;

ATTUNE_INLINE bool device_trials::place::begin(bool is_perturbed, bool across)
{
    is_perturbed_ = is_perturbed;
    if (!is_perturbed || (of_.perturbed_ && of_.is_across_ == across)) return true;
    if (of_.is_spoilt_ || (across && !of_.may_cross_)) return false;
    bool const holds_others = of_.perturbed_.has_value();
    of_.perturbed_.reset();
    if (!arrays_ || holds_others) static_cast<void>(original_contents());
    perturb(arrays_->buffers(), across);
    of_.is_across_ = across;
    arrays_->store_to(of_.copies_);
    of_.perturbed_ = of_.copies_.save(region_kind::written, of_.clock_);
    if (of_.copies_.is_whole(*of_.perturbed_)) return true;
    of_.perturbed_.reset();
    return false;
}

ATTUNE_INLINE first_run_result device_trials::place::run_trusted(code_type const& enqueue,
                                                                 double limit_s)
{
    if (!is_perturbed_) {
        double const took_s = of_.run_from(of_.original_, nullptr, enqueue, limit_s);
        expect(given_);
        if (of_.compares_)
            if (std::string const said = of_.difference(*expected_); !said.empty())
                throw stopped{{failure_stage::verify, said}};
        of_.is_spoilt_ = false;
        return took_s;
    }
    try {
        return of_.run_from(*of_.perturbed_, nullptr, enqueue, limit_s);
    } catch (stopped const& s) {
        of_.where_->require_alive();
        if (of_.where_->is_blocked()) throw;
        return s.why; // the default fails with perturbed contents
    }
}

ATTUNE_INLINE first_run_result device_trials::place::run(code_type const& enqueue, double limit_s,
                                                         expectation const& want)
{
    saved_contents const& begin = is_perturbed_ ? *of_.perturbed_ : of_.original_;
    return of_.run_from(begin, &want, enqueue, limit_s);
}

/// The default's results, replaced by those that the caller expects.
ATTUNE_INLINE void device_trials::place::expect(std::span<std::vector<std::byte> const> given)
{
    expected_.emplace(of_.expect_what_is_there());
    cuda::driver const& d = of_.where_->driver();
    for (std::size_t i = 0; i < std::min(given.size(), of_.buffers_.size()); ++i) {
        buffer const& b = of_.buffers_[i].where;
        if (!b.writable || given[i].empty()) continue;
        if (given[i].size() != b.bytes)
            throw error("what is expected of " + argument_text(of_.buffers_[i]) + " has " +
                            std::to_string(given[i].size()) + " bytes, the array has " +
                            std::to_string(b.bytes),
                        of_.where_->name(), "let the reference write arrays of the same size");
        cuda::device_pointer const at = of_.copies_.address_in(expected_->after, i);
        of_.where_->require(d.copy_to_device(at, given[i].data(), b.bytes),
                            "copying the reference");
        of_.where_->require(d.context_synchronize(), "copying the reference");
        expected_->rms[i] = of_.compare_.root_mean_square(b, at);
    }
}

ATTUNE_INLINE device_trials::expectation
device_trials::place::take_expectation(std::optional<expectation> /*spare*/)
{
    if (!expected_) return of_.expect_what_is_there();
    expectation out = *std::move(expected_);
    expected_.reset();
    return out;
}

ATTUNE_INLINE bool device_trials::place::can_perturb() const
{
    return of_.may_perturb_ && of_.copies_.writable_bytes() > 0 &&
           of_.copies_.writable_bytes() <= most_perturbed_bytes && are_apart(of_.copies_.layout());
}

ATTUNE_INLINE bool device_trials::place::confirms(code_type const& enqueue, double limit_s,
                                                  expectation const& want, bool is_overwritten)
{
    if (!of_.repeats_default_) return true;
    try {
        of_.run_from(*of_.perturbed_, &want, enqueue, limit_s);
        if (is_overwritten) { // timed runs then follow one another: test that too
            of_.clock_.time(enqueue, limit_s);
            if (std::string const said = of_.difference(want); !said.empty())
                throw stopped{{failure_stage::verify, said}};
        }
        return true;
    } catch (stopped const&) {
        of_.where_->require_alive();
        if (of_.where_->is_blocked()) throw;
        return false; // the results differ from the first time
    }
}

ATTUNE_INLINE std::span<buffer const> device_trials::place::buffers() const
{
    return arrays_->buffers();
}

ATTUNE_INLINE snapshot device_trials::place::download() const
{
    return snapshot{arrays_on_host{of_.buffers_, of_.copies_}.buffers()};
}

ATTUNE_INLINE snapshot device_trials::place::original_contents()
{
    of_.copies_.restore(of_.original_, of_.clock_);
    of_.clock_.wait(comparing_limit_s);
    arrays_ = std::make_unique<on_host>(of_.buffers_, of_.copies_);
    return snapshot{arrays_->buffers()};
}

ATTUNE_INLINE snapshot device_trials::place::contents_after(expectation const&) const
{
    return download();
}
ATTUNE_INLINE snapshot device_trials::place::perturbed_contents() const
{
    return snapshot{arrays_->buffers()};
}
ATTUNE_INLINE snapshot device_trials::place::contents_after_perturbed() const { return download(); }

ATTUNE_INLINE double device_trials::establish(std::function<void()> const& enqueue,
                                              std::span<std::vector<std::byte> const> expected,
                                              double limit_s)
{
    if (is_spoilt_) take_over();
    perturbed_.reset();
    is_across_ = false;
    place here{*this, expected};
    bool const learns = here.can_perturb();
    constexpr double whatever = std::numeric_limits<double>::infinity();
    double const took_s = std::get<double>(policy_.establish(here, enqueue, limit_s, whatever));
    if (policy_.expected_of_perturbed() == nullptr) perturbed_.reset();
    if (!learns) return took_s;
    if (is_spoilt_) { // with perturbed contents the default wrote wrongly: do not use them again
        (is_across_ ? may_cross_ : may_perturb_) = false;
        return took_s;
    }
    if (repeats_default_) return run_from(original_, nullptr, enqueue, limit_s);
    // Restores the default's results from the caller's contents.
    copies_.restore(policy_.expected()->after, clock_);
    clock_.wait(comparing_limit_s);
    return took_s;
}

ATTUNE_INLINE double device_trials::first_run(std::function<void()> const& enqueue, double limit_s)
{
    place here{*this};
    return std::get<double>(policy_.first_run(here, enqueue, limit_s));
}

ATTUNE_INLINE std::string device_trials::objection()
{
    std::string said = forbidden_writes();
    expectation const* const right = policy_.expected();
    return said.empty() && compares_ && right != nullptr ? difference(*right) : said;
}

ATTUNE_INLINE bool device_trials::is_repeatable(std::function<void()> const& enqueue,
                                                double limit_s)
{
    restore();
    clock_.time(enqueue, limit_s);
    saved_contents const once = copies_.save(region_kind::written, clock_);
    if (!copies_.is_whole(once)) return false;
    clock_.time(enqueue, limit_s);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        buffer bytes = buffers_[i].where;
        if (!bytes.writable) continue;
        bytes.type = element_type::opaque;
        bytes.run_count = 0;
        bytes.within = {};
        device_reference const same{memory_place::device, copies_.address_in(once, i)};
        if (compare_.compare(bytes, copies_.address(i), same, clock_)) return false;
    }
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
