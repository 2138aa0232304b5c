// attune/measure/cuda/device_trials.ipp - running, looking, and learning from the default.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       see device_trials.hpp
// Out      definitions for one translation unit; needs compare.ipp and perturb.ipp there
// Source   own
// Depends  std only
// Tests    tests/measure/cuda/device_trials.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_trials.hpp>
#include <attune/measure/perturb.hpp>
#include <attune/measure/snapshot.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Perturbing is the host's work: more than this is left as it is.
inline constexpr std::size_t most_perturbed_bytes = std::size_t{256} << 20;

/// The written arrays of a device, on the host; what is only read is not here.
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

/// Whether each array that is written has its memory for itself.
[[nodiscard]] inline bool are_apart(device_layout const& layout)
{
    return std::all_of(layout.regions.begin(), layout.regions.end(), [](device_region const& r) {
        return !r.writable || r.members.size() == 1;
    });
}

} // namespace detail

device_trials::device_trials(std::shared_ptr<device_session> where,
                             device_call const& call,
                             device_bench_options const& options,
                             device_clock& clock)
    : where_(std::move(where))
    , buffers_(call.buffers)
    , compares_(options.compare_results)
    , may_perturb_(options.perturb)
    , clock_(clock)
    , copies_(where_, call)
    , compare_(where_, options.comparison)
{
    take_over();
}

/// All that was known goes first: the device may have room for it but once.
void device_trials::take_over()
{
    original_ = {};
    inputs_ = {};
    expected_.reset();
    perturbed_.reset();
    expected_of_perturbed_.reset();
    begin_with_ = contents::original;
    copies_.load();
    original_ = save_written();
    inputs_ = copies_.save(region_kind::read, clock_);
    inputs_may_differ_ = false;
}

saved_contents device_trials::save_written()
{
    saved_contents saved = copies_.save(region_kind::written, clock_);
    if (copies_.is_whole(saved)) return saved;
    throw error("the device is out of memory",
                "another copy of all arrays that are written takes " +
                    std::to_string(copies_.writable_bytes()) + " bytes on " + where_->name(),
                "free other arrays on the device, or tune on a smaller problem");
}

device_trials::expectation device_trials::expect_what_is_there()
{
    expectation out{save_written(), std::vector<double>(buffers_.size())};
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        buffer const& b = buffers_[i].where;
        if (compares_ && b.writable && b.within.relative > 0)
            out.rms[i] = compare_.root_mean_square(b, copies_.address(i));
    }
    return out;
}

std::string device_trials::difference(expectation const& want)
{
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        if (!buffers_[i].where.writable) continue;
        device_reference const right{
            memory_place::device, copies_.address_in(want.after, i), want.rms[i]};
        if (auto const found =
                compare_.compare(buffers_[i].where, copies_.address(i), right, clock_))
            return found->text();
    }
    return {};
}

/// What was written that must not be.
std::string device_trials::trespass()
{
    std::string said = copies_.damage();
    for (std::size_t i = 0; i < buffers_.size() && said.empty(); ++i) {
        if (copies_.layout().regions[copies_.layout().of[i].region].writable) continue;
        device_reference before{memory_place::device, copies_.address_in(inputs_, i)};
        if (before.at == 0) {
            if (buffers_[i].place == memory_place::device) continue; // nobody knows any more
            before = {memory_place::host, reinterpret_cast<std::uintptr_t>(buffers_[i].where.data)};
        }
        buffer bytes = buffers_[i].where;
        std::size_t const width = element_bytes(bytes.type);
        bytes.type = element_type::opaque;
        bytes.within = {};
        if (auto const found = compare_.compare(bytes, copies_.address(i), before, clock_))
            said = detail::argument_text(buffers_[i]) + " is only to be read, but its element " +
                   std::to_string(found->element / width) + " was written";
    }
    inputs_may_differ_ = !said.empty();
    is_spoilt_ = is_spoilt_ || inputs_may_differ_;
    return said;
}

double device_trials::run_from(saved_contents const& begin,
                               expectation const* want,
                               std::function<void()> const& enqueue,
                               double limit_s)
{
    if (inputs_may_differ_) copies_.restore(inputs_, clock_);
    inputs_may_differ_ = true; // unless it proves harmless
    copies_.restore(begin, clock_);
    copies_.mend_zones(clock_);
    clock_.wait(limit_s + detail::comparing_limit_s);
    double const took_s = clock_.time(enqueue, limit_s);
    std::string said = trespass();
    if (said.empty() && want != nullptr && compares_) said = difference(*want);
    if (!said.empty()) throw stopped{{failure_stage::verify, said}};
    return took_s;
}

double device_trials::establish(std::function<void()> const& enqueue,
                                std::span<std::vector<std::byte> const> expected,
                                double limit_s)
{
    if (is_spoilt_) take_over();
    double took_s = run_from(original_, nullptr, enqueue, limit_s);
    expected_.emplace(expect_what_is_there());
    cuda::driver const& d = where_->driver();
    for (std::size_t i = 0; i < std::min(expected.size(), buffers_.size()); ++i) {
        buffer const& b = buffers_[i].where;
        if (!b.writable || expected[i].empty()) continue;
        if (expected[i].size() != b.bytes)
            throw error("what is expected of " + detail::argument_text(buffers_[i]) + " has " +
                            std::to_string(expected[i].size()) + " bytes, the array has " +
                            std::to_string(b.bytes),
                        where_->name(),
                        "let the reference write arrays of the same size");
        cuda::device_pointer const at = copies_.address_in(expected_->after, i);
        where_->require(d.copy_to_device(at, expected[i].data(), b.bytes), "copying the reference");
        where_->require(d.context_synchronize(), "copying the reference");
        expected_->rms[i] = compare_.root_mean_square(b, at);
    }
    if (compares_)
        if (std::string const said = difference(*expected_); !said.empty())
            throw stopped{{failure_stage::verify, said}};
    is_spoilt_ = false;
    if (may_perturb_ && copies_.writable_bytes() > 0 &&
        copies_.writable_bytes() <= detail::most_perturbed_bytes &&
        detail::are_apart(copies_.layout())) {
        learn_from_perturbed(enqueue, std::min(limit_s, std::max(0.25, 10 * took_s)));
        may_perturb_ = !is_spoilt_; // where such contents lead it astray, never again
        if (is_spoilt_) return took_s;
        took_s = run_from(original_, nullptr, enqueue, limit_s);
    }
    return took_s;
}

/// What the copies hold is what the default made of the caller's contents.
void device_trials::learn_from_perturbed(std::function<void()> const& enqueue, double limit_s)
{
    snapshot const after{detail::arrays_on_host{buffers_, copies_}.buffers()};
    copies_.restore(original_, clock_);
    clock_.wait(detail::comparing_limit_s);
    detail::arrays_on_host const arrays{buffers_, copies_};
    snapshot const before{arrays.buffers()};
    perturb(arrays.buffers());
    snapshot const perturbed_before{arrays.buffers()};
    arrays.store_to(copies_);
    perturbed_ = copies_.save(region_kind::written, clock_);
    if (!copies_.is_whole(*perturbed_)) return perturbed_.reset();
    try {
        run_from(*perturbed_, nullptr, enqueue, limit_s);
    } catch (stopped const&) {
        where_->require_alive();
        if (where_->is_blocked()) throw;
        return perturbed_.reset(); // it does not work on such contents
    }
    snapshot const perturbed_after{detail::arrays_on_host{buffers_, copies_}.buffers()};
    run_contents const first{before, after};
    run_contents const second{perturbed_before, perturbed_after};
    contents begin_with = contents::original;
    if (overwrites_all(arrays.buffers(), first, second))
        begin_with = contents::perturbed;
    else if (hides_idleness(arrays.buffers(), first, second))
        begin_with = contents::both;
    if (begin_with == contents::original) return perturbed_.reset();
    expected_of_perturbed_.emplace(expect_what_is_there());
    try {
        run_from(*perturbed_, &*expected_of_perturbed_, enqueue, limit_s);
        if (begin_with == contents::perturbed) { // then a run may follow another one, too
            clock_.time(enqueue, limit_s);
            if (std::string const said = difference(*expected_of_perturbed_); !said.empty())
                throw stopped{{failure_stage::verify, said}};
        }
        begin_with_ = begin_with;
    } catch (stopped const&) {
        where_->require_alive();
        if (where_->is_blocked()) throw;
        expected_of_perturbed_.reset(); // another end than the first time
        perturbed_.reset();
    }
}

double device_trials::first_run(std::function<void()> const& enqueue, double limit_s)
{
    ATTUNE_ASSERT(expected_, "the default comes before all others");
    double took_s = 0;
    if (begin_with_ != contents::original)
        took_s = run_from(*perturbed_, &*expected_of_perturbed_, enqueue, limit_s);
    if (begin_with_ != contents::perturbed)
        took_s = run_from(original_, &*expected_, enqueue, limit_s);
    return took_s;
}

std::string device_trials::objection()
{
    std::string said = trespass();
    return said.empty() && compares_ && expected_ ? difference(*expected_) : said;
}

bool device_trials::is_repeatable(std::function<void()> const& enqueue, double limit_s)
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
        bytes.within = {};
        device_reference const same{memory_place::device, copies_.address_in(once, i)};
        if (compare_.compare(bytes, copies_.address(i), same, clock_)) return false;
    }
    return true;
}

} // namespace attune::inline ATTUNE_ABI
