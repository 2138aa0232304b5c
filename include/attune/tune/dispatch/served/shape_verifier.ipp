// attune/tune/dispatch/served/shape_verifier.ipp - decides which shapes of calls a variant serves.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/served/shape_verifier.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/history_check.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/shape/drawn_calls.hpp>
#include <attune/tune/shape/shape_check.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Wall seconds of a check for which no call waits.
inline constexpr double check_beside_s = 10;

ATTUNE_INLINE std::vector<std::int64_t> divisors_of(description const& space, point const& at)
{
    std::vector<std::int64_t> out;
    for (named_value const& v : named_values(space))
        if (!has_order(space, v.first)) add_divisors_in(text_at(space, v, at), out);
    return out;
}

ATTUNE_INLINE shape_verifier::shape_verifier(parts const& with, call_problem& of,
                                             installed_variant const& variant,
                                             std::vector<std::int64_t> divisors,
                                             std::uint32_t modulus, proof_memory memory)
    : with_(with)
    , of_(of)
    , variant_(variant)
    , divisors_(std::move(divisors))
    , modulus_(modulus)
    , trust_(with.subject.layout, divisors_, modulus)
    , memory_(std::move(memory))
    , by_own_(judged_by_own(with.subject.kernel))
{
    for (proven_shape const& one : memory_.known) {
        if (one.is_right)
            trust_.add(one.shape);
        else
            trust_.distrust();
        auto const at =
            proven_before_.try_emplace(as_counted(one.shape), known_verdict::right).first;
        if (!one.is_right) at->second = known_verdict::wrong;
    }
}

/// Returns the key without the irrelevant bits of addresses, so that equal shapes are equal.
ATTUNE_INLINE std::vector<std::int64_t>
shape_verifier::as_counted(std::span<std::int64_t const> key) const
{
    std::vector<std::int64_t> out(key.begin(), key.end());
    std::vector<shape_word> const& layout = with_.subject.layout;
    for (std::size_t i = 0; i < layout.size(); ++i)
        if (layout[i].part == shape_part::places) out[i] &= ~place_bits::beyond_all(modulus_);
    return out;
}

ATTUNE_INLINE std::string shape_verifier::addresses_said() const
{
    std::string const said = text_of_addresses(modulus_);
    return said.empty() ? said : "; " + said;
}

ATTUNE_INLINE void shape_verifier::add(std::span<std::int64_t const> key)
{
    with_.shapes.locked([&] { trust_.add(key); });
}

ATTUNE_INLINE installed_variant const*
shape_verifier::covering(std::span<std::int64_t const> key) const
{
    if (memory_.is_required) return nullptr;
    auto const before = proven_before_.find(as_counted(key));
    bool const serves = with_.subject.kernel.any_shape ||
                        (before != proven_before_.end() ? before->second == known_verdict::right
                                                        : trust_.covers(key));
    return serves ? &variant_ : nullptr;
}

ATTUNE_INLINE void shape_verifier::keep(std::span<std::int64_t const> key, bool is_right) const
{
    if (memory_.keep) memory_.keep({.shape = {key.begin(), key.end()}, .is_right = is_right});
}

ATTUNE_INLINE shape_verdict shape_verifier::verify(installed_variant const& trusted,
                                                   std::span<std::int64_t const> key,
                                                   call_frame const& frame, double check_s)
{
    dispatched_kernel const& subject = with_.subject;
    auto const& contents = subject.kernel.contents;
    shape_verdict out = verify_by_results(trusted, key, frame, check_s);
    if (out.how != shape_verdict::ending::right || out.is_slower || !contents ||
        contents->empty() || subject.target() != nullptr)
        return out;
    double const begun_s = steady_seconds();
    double const each_s = check_s / static_cast<double>(contents->size());
    if (auto why = failure_with_contents(subject.kernel, frame, trusted.code, variant_.code, each_s,
                                         subject.options.measuring.protect)) {
        out.how = shape_verdict::ending::wrong;
        out.why = *std::move(why);
    }
    out.elapsed_s += steady_seconds() - begun_s;
    return out;
}

ATTUNE_INLINE shape_verdict shape_verifier::verify_by_results(installed_variant const& trusted,
                                                              std::span<std::int64_t const> key,
                                                              call_frame const& frame,
                                                              double check_s)
{
    using ending = shape_verdict::ending;
    constexpr double own_is_slower = 8; // so many times the default's time is too long
    constexpr double shortest_s = 0.02;
    dispatched_kernel const& subject = with_.subject;
    tuning_options const& options = subject.options;
    if (auto const device = subject.target(); device != nullptr) {
        tuning_problem problem{subject.kernel,   *of_.space, *of_.default_at,
                               subject.compiler, frame,      device.get()};
        problem.only_verifies = true;
        return make_bench(problem, options)->verify(trusted.code, variant_.code, check_s);
    }
    shape_verdict all; // of all checks
    auto const check = [&](kernel_description const& by, callable const& tried, double limit_s) {
        bool const compares = !memory_.may_be_slower && &tried != &trusted.code;
        shape_verdict out = verify_shape(by, frame, trusted.code, tried,
                                         {.check_s = limit_s, .compares_times = compares},
                                         options.measuring.protect);
        out.executions = all.executions += out.executions;
        out.elapsed_s = all.elapsed_s += out.elapsed_s;
        out.runs_s = all.runs_s += out.runs_s;
        return out;
    };
    double const of_default_s = expected_s(key);
    if (!by_own_ || of_default_s >= own_is_slow_from_s_)
        return check(subject.kernel, variant_.code, check_s);
    // The check allows the reference a quarter of its limit.
    double const own_s =
        of_default_s > 0 ? std::min(check_s, std::max(shortest_s, 4 * own_is_slower * of_default_s))
                         : check_s / 4;
    shape_verdict first = check(*by_own_, variant_.code, own_s);
    if (first.how == ending::right) return first;
    if (first.how == ending::unknown && first.why.stage == failure_stage::timeout)
        own_is_slow_from_s_ = of_default_s;
    shape_verdict out = check(subject.kernel, variant_.code, check_s);
    if (out.how != ending::right || !is_difference(first.why)) return out;
    shape_verdict const own = check(*by_own_, trusted.code, own_s);
    out.executions = own.executions;
    out.elapsed_s = own.elapsed_s;
    out.runs_s = own.runs_s;
    if (own.how == ending::wrong && is_difference(own.why)) {
        with_.report.note_difference(text_of_shape(subject.layout, key) + " (" + own.why.reason +
                                     ")");
    } else if (own.how == ending::right) { // then the user's own code is the reference
        out.how = ending::wrong;
        out.why = std::move(first.why);
    }
    return out;
}

/// Returns the words of a shape that all calls drawn from it keep: they identify its kind.
ATTUNE_INLINE std::vector<std::int64_t>
shape_verifier::kept_words(std::span<std::int64_t const> key) const
{
    std::vector<std::int64_t> out;
    if (with_.subject.kernel.calls) return out; // kernel.calls(f) draws all values
    std::vector<shape_word> const& layout = with_.subject.layout;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        shape_part const part = layout[i].part;
        if (part == shape_part::number) // drawn calls keep integers below 2
            out.push_back(std::clamp<std::int64_t>(key[i], -1, 2));
        else if (part == shape_part::real)
            out.push_back(special_real(key[i]));
        else if (!is_size(part) && part != shape_part::places)
            out.push_back(key[i]);
    }
    return out;
}

ATTUNE_INLINE std::size_t shape_verifier::sizes_for_proofs(std::span<std::int64_t const> key) const
{
    dispatched_kernel const& subject = with_.subject;
    return subject.kernel.calls
               ? 1
               : sizes_among(subject.layout, key, shape_choice_of_proofs(subject.kernel));
}

/// Returns true if an argument is a pointer: a drawn call cannot change its extent.
[[nodiscard]] inline bool has_pointers(call_frame const& frame)
{
    return std::any_of(frame.arguments.begin(), frame.arguments.end(),
                       [](call_argument const& one) { return one.is_pointer; });
}

/// Returns true if calls can be drawn from this one.
ATTUNE_INLINE bool shape_verifier::can_draw(std::span<std::int64_t const> key,
                                            call_frame const& frame) const
{
    dispatched_kernel const& subject = with_.subject;
    bool const can_make_calls = (frame.resized && !has_pointers(frame)) || subject.kernel.calls;
    if (!can_make_calls || trust_.is_distrusted() || memory_.is_required ||
        subject.kernel.any_shape || subject.target() != nullptr)
        return false;
    for (std::size_t i = 0; i < subject.layout.size(); ++i)
        if (subject.layout[i].part == shape_part::overlaps && key[i] != 0) return false;
    return sizes_for_proofs(key) > 0;
}

ATTUNE_INLINE bool shape_verifier::can_prove(std::span<std::int64_t const> key,
                                             call_frame const& frame) const
{
    constexpr double most_s = 3;
    constexpr std::size_t most_kinds = 32;
    if (counts_.proof_s > most_s || proven_sizes_.size() > most_kinds || !can_draw(key, frame))
        return false;
    std::vector<std::int64_t> const kind = kept_words(key);
    return std::ranges::all_of(std::array{&proven_sizes_, &begun_kinds_}, [&](auto const* of) {
        auto const before = of->find(kind);
        return before == of->end() || before->second < sizes_for_proofs(key);
    });
}

/// @pre  calls can be drawn from this one
ATTUNE_INLINE variant_proof shape_verifier::proof_of(std::span<std::int64_t const> key,
                                                     call_frame const& frame, proof_limits limits)
{
    dispatched_kernel const& subject = with_.subject;
    limits.wrong = wrong_;
    limits.only_own_numbers = only_own_numbers_;
    std::vector<std::int64_t> kind = kept_words(key);
    limits.has_compared = compared_.contains(kind);
    limits.refute = [this](std::span<std::int64_t const> wrong) { end_trust(wrong); };
    variant_proof out =
        prove_variant({subject.kernel, subject.layout, shape_choice_of_proofs(subject.kernel),
                       shape_choice_of(subject.kernel), with_.defaults.code_of(of_).code,
                       variant_.code, divisors_, subject.options.measuring.protect},
                      key, frame, trust_, limits);
    if (out.has_compared) compared_.insert(std::move(kind));
    return out;
}

/// Returns the limits of calls whose work has no limit.
[[nodiscard]] inline draw_limits any_size()
{
    constexpr double most_bytes = 1 << 28;
    constexpr double of_spare_memory = 1.0 / 16;
    return {.most_bytes = static_cast<std::size_t>(
                std::min(most_bytes, of_spare_memory * spare_memory_bytes())),
            .most_work = HUGE_VAL};
}

ATTUNE_INLINE void shape_verifier::prove(std::span<std::int64_t const> key, call_frame const& frame,
                                         double limit_s)
{
    if (!can_prove(key, frame)) return;
    proven_sizes_.insert_or_assign(kept_words(key), sizes_for_proofs(key));
    constexpr double least_for_larger_s = 0.1;
    proof_limits limits{.proof_s = limit_s};
    if (limit_s >= least_for_larger_s) limits.larger = any_size();
    variant_proof const proof = proof_of(key, frame, std::move(limits));
    counts_.proof_s += proof.elapsed_s;
    take(proof);
}

inline constexpr double longest_beside_s = 20; ///< seconds of all proofs beside the program

ATTUNE_INLINE bool shape_verifier::wants_proof(std::span<std::int64_t const> key,
                                               call_frame const& frame) const
{
    if (beside_s_ >= longest_beside_s || !can_draw(key, frame)) return false;
    auto const before = proven_beside_.find(kept_words(key));
    return before == proven_beside_.end() || before->second < sizes_for_proofs(key);
}

ATTUNE_INLINE bool shape_verifier::is_new_kind(std::span<std::int64_t const> key,
                                               call_frame const& frame) const
{
    constexpr std::size_t most_kinds = 32;
    if (covering(key) != nullptr || begun_kinds_.size() > most_kinds || !wants_proof(key, frame))
        return false;
    auto const before = begun_kinds_.find(kept_words(key));
    return before == begun_kinds_.end() || before->second < sizes_for_proofs(key);
}

ATTUNE_INLINE void shape_verifier::begin_kind(std::span<std::int64_t const> key)
{
    begun_kinds_.insert_or_assign(kept_words(key), sizes_for_proofs(key));
}

ATTUNE_INLINE void shape_verifier::forget_kind(std::span<std::int64_t const> key)
{
    begun_kinds_.erase(kept_words(key));
}

ATTUNE_INLINE bool shape_verifier::prove_beside(std::span<std::int64_t const> key,
                                                call_frame const& frame,
                                                std::function<bool()> const& is_over, double most_s)
{
    constexpr double longest_call_s = 12; // the default may take a quarter of it
    if (!wants_proof(key, frame)) return true;
    proof_limits limits{.proof_s = std::min(most_s, longest_beside_s - beside_s_),
                        .call_s = longest_call_s,
                        .round = ++beside_rounds_,
                        .is_over = is_over};
    limits.calls = any_size();
    limits.take = [this](std::vector<std::vector<std::int64_t>> const& right) {
        try {
            take_right(right);
        } catch (std::exception const&) { // no memory, or no store: shapes that were added serve
        }
    };
    variant_proof const proof = proof_of(key, frame, std::move(limits));
    beside_s_ += proof.elapsed_s;
    if (!proof.was_over && proof.elapsed_s < most_s)
        proven_beside_.insert_or_assign(kept_words(key), sizes_for_proofs(key));
    take(proof);
    return !proof.was_over;
}

ATTUNE_INLINE void shape_verifier::take_right(std::vector<std::vector<std::int64_t>> const& shapes)
{
    for (std::vector<std::int64_t> const& shape : shapes) {
        add(shape);
        keep(shape, true);
    }
    counts_.proofs += shapes.size();
    if (!shapes.empty())
        with_.report.set_serving(counts_, "the variant serves: it was right on " +
                                              std::to_string(counts_.proofs) +
                                              " calls that attune made" + addresses_said());
}

ATTUNE_INLINE void shape_verifier::take(variant_proof const& proof)
{
    if (!proof.trouble.empty())
        with_.report.note("kernel.calls(f) of kernel '" + with_.subject.kernel.name +
                          "' failed, so attune draws no more calls: " + proof.trouble);
    std::string said = proof.differs.where;
    if (!said.empty())
        said += " (" + std::string(describe(proof.differs.why.stage)) + ": " +
                proof.differs.why.reason + ")";
    if (!proof.contents.where.empty())
        with_.report.note("the variant differs from the default where " + proof.contents.where +
                          " (" + proof.contents.why.reason +
                          "); it still serves, because contents are not part of a shape");
    if (!proof.baseline.where.empty())
        with_.report.note_difference(proof.baseline.where + " (" + proof.baseline.why.reason + ")");
    if (!proof.refuting.empty()) {
        ++counts_.wrong;
        counts_.proofs += proof.right.size();
        if (said.empty()) said = text_of_shape(with_.subject.layout, proof.refuting.front());
        distrust("wrong for a call that attune made, where " + said);
        return;
    }
    with_.shapes.locked([&] {
        for (std::vector<std::int64_t> const& shape : proof.open)
            trust_.except(shape);
    });
    wrong_.insert(wrong_.end(), proof.wrong.begin(), proof.wrong.end());
    only_own_numbers_ = only_own_numbers_ || proof.only_own_numbers;
    take_right(proof.right);
    compare_with_wrong(); // other calls may have verified shapes meanwhile
    if (!said.empty() && !std::exchange(has_said_wrong_, true))
        with_.report.note("the variant is wrong for a call that attune made, where " + said +
                          "; the default serves such calls. If no such call is valid, say so by "
                          "kernel.precondition(f)");
}

/// Ends the trust in all classes, also in later processes, after a drawn call was wrong.
ATTUNE_INLINE void shape_verifier::end_trust(std::span<std::int64_t const> key)
{
    with_.shapes.locked([&] { trust_.distrust(); });
    with_.shapes.withdraw(variant_);
    try {
        keep(key, false);
    } catch (std::exception const&) { // no store: only this process keeps the verdict
    }
}

/// Ends the trust if verified shapes have proven each property of a drawn call that was wrong.
ATTUNE_INLINE void shape_verifier::compare_with_wrong()
{
    auto const at = std::find_if(wrong_.begin(), wrong_.end(),
                                 [&](auto const& one) { return trust_.has_proven(one); });
    if (at == wrong_.end()) return;
    ++counts_.wrong;
    end_trust(*at);
    distrust("wrong for a call that attune made, where " +
             text_of_shape(with_.subject.layout, *at));
}

ATTUNE_INLINE void shape_verifier::distrust(std::string const& why)
{
    bool const is_news = counts_.wrong == 1;
    with_.shapes.locked([&] { trust_.distrust(); });
    with_.shapes.withdraw(variant_);
    if (is_news)
        with_.report.note(
            "the variant is " + why +
            "; the default serves such calls, and every new shape is verified by itself");
}

/// @param what  the shape, and the failure
ATTUNE_INLINE void shape_verifier::note_failure(shape_verdict const& verdict,
                                                std::string const& what)
{
    if (verdict.how == shape_verdict::ending::wrong) {
        ++counts_.wrong;
        distrust("wrong where " + what);
        with_.report.add_shape_failure({what, verdict.why});
    } else if (++counts_.unknown == 1) {
        with_.report.note("the variant could not be verified where " + what +
                          "; the default serves such calls");
    }
}

ATTUNE_INLINE void shape_verifier::refuse(failure const& why)
{
    if (memory_.refuse && !is_refused_) is_refused_ = memory_.refuse(why);
}

ATTUNE_INLINE bool shape_verifier::may_check(bool is_first) const
{
    if (!is_first) return true;
    // Without trusted classes, a check shows nothing about other shapes.
    return !trust_.is_distrusted() && is_check_due(new_shapes_, checks_, counts_.proofs > 0);
}

ATTUNE_INLINE bool shape_verifier::is_due(std::span<std::int64_t const> key, std::uint32_t met)
{
    return !memory_.is_required && !with_.subject.kernel.any_shape &&
           !proven_before_.contains(as_counted(key)) && trust_.covers(key) &&
           (met >= often_met || trust_.wants_recheck());
}

ATTUNE_INLINE bool shape_verifier::needs_runs(std::span<std::int64_t const> key,
                                              std::uint32_t met) const
{
    if (!memory_.is_required && (with_.subject.kernel.any_shape || trust_.covers(key)))
        return false;
    return may_check(met <= 1) && !proven_before_.contains(as_counted(key));
}

/// Returns the product of the integers of a call, and the elements of its longest array.
[[nodiscard]] inline std::pair<double, double> sizes_of(std::span<shape_word const> layout,
                                                        std::span<std::int64_t const> key)
{
    double product = 1;
    double elements = 1;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        auto const size = static_cast<double>(std::max<std::int64_t>(key[i], 1));
        if (layout[i].part == shape_part::number) product *= size;
        if (layout[i].part == shape_part::elements) elements = std::max(elements, size);
    }
    return {product, elements};
}

ATTUNE_INLINE void shape_verifier::set_pace(std::span<std::int64_t const> key, double default_s)
{
    timed_key_.assign(key.begin(), key.end());
    timed_s_ = default_s;
}

ATTUNE_INLINE double shape_verifier::expected_s(std::span<std::int64_t const> key) const
{
    // The work of a call is unknown. If the integers do not tell it, the product of square matrices
    // grows most among usual kernels: by the power 1.5 of the elements.
    constexpr double most_growth = 1.5;
    if (timed_s_ <= 0) return 0;
    auto const now = sizes_of(with_.subject.layout, key);
    auto const timed = sizes_of(with_.subject.layout, timed_key_);
    double const elements = now.second / timed.second;
    return timed_s_ *
           std::max({now.first / timed.first, elements, std::pow(elements, most_growth)});
}

ATTUNE_INLINE bool shape_verifier::is_dear(std::span<std::int64_t const> key) const
{
    constexpr double most_s = 0.012;
    constexpr double most_fork_s = 0.004; // a check takes about five times as long
    if (memory_.is_required || with_.subject.target() != nullptr) return false;
    auto const& contents = with_.subject.kernel.contents;
    std::size_t const runs = 4 * (1 + (contents ? contents->size() : 0));
    return usual_fork_s() > most_fork_s || static_cast<double>(runs) * expected_s(key) > most_s;
}

ATTUNE_INLINE void shape_verifier::say(known_shape* shape, std::string sentence) const
{
    bool const is_default = sentence.starts_with("the default");
    with_.shapes.set_why(shape, is_default ? sentence : std::string());
    with_.report.set_serving(counts_, std::move(sentence));
}

ATTUNE_INLINE void shape_verifier::report_deferred(known_shape* shape, bool is_covered) const
{
    say(shape, std::string(is_covered ? "the variant serves: shapes like this one were verified"
                                      : "the default serves") +
                   ", until the variant is verified for this shape beside the program");
}

ATTUNE_INLINE std::string shape_verifier::why_no_class(std::span<std::int64_t const> key,
                                                       call_frame const& frame) const
{
    dispatched_kernel const& subject = with_.subject;
    std::string const where = " (" + text_of_shape(subject.layout, key) + ")";
    if (memory_.is_required) return "the store's variant was not verified here yet" + where;
    if (trust_.is_distrusted())
        return "the variant was wrong or too slow elsewhere, so each shape is verified when it is "
               "called again" +
               where;
    std::string const out = "no shape like this one was verified yet" + where;
    if (subject.target() != nullptr || subject.kernel.calls || trust_.has_proven(key)) return out;
    if (!frame.resized || has_pointers(frame))
        return out + "; attune makes no calls with pointers: declare kernel.calls(f)";
    if (counts_.proofs == 0)
        return out + "; attune could make no calls: declare kernel.lengths(...) or kernel.calls(f)";
    return out;
}

ATTUNE_INLINE installed_variant const& shape_verifier::serve(known_shape* shape,
                                                             std::span<std::int64_t const> key,
                                                             call_frame const& frame,
                                                             std::uint32_t met, checks_run checks)
{
    if (with_.subject.kernel.any_shape && !memory_.is_required)
        return with_.shapes.serve(shape, variant_);
    if (memory_.is_required && frame.has_only_empty_arrays()) // a run would prove nothing
        return with_.defaults.code_of(of_);
    if (auto const before = proven_before_.find(as_counted(key)); before != proven_before_.end()) {
        char const* said = "the variant serves: it was verified for this shape before";
        if (before->second == known_verdict::wrong) {
            said = "the default serves: the variant was wrong for this shape before";
            if (memory_.is_required)
                refuse({failure_stage::verify, "it was wrong for this shape before"});
        }
        if (before->second == known_verdict::slower)
            said = "the default serves: the variant was slower for this shape before";
        say(shape, said + addresses_said());
        if (before->second == known_verdict::right)
            return with_.shapes.serve(shape, variant_, true);
        return with_.shapes.serve_as_before(shape, with_.defaults.code_of(of_));
    }
    bool const is_first = met <= 1;
    if (is_first) ++new_shapes_;
    bool const may_check_now = checks != checks_run::elsewhere && may_check(is_first);
    bool is_covered = !memory_.is_required && trust_.covers(key);
    auto const is_cheap_and_new = [&] {
        return checks == checks_run::in_call && !is_dear(key) && can_prove(key, frame);
    };
    if (!is_covered && !memory_.is_required && (may_check_now || is_cheap_and_new())) {
        constexpr double most_s = 0.01; // the call waits
        prove(key, frame, std::min(most_s, with_.subject.options.limits.check_s / 4));
        is_covered = trust_.covers(key);
    }
    // A class shows that the variant is right, not that it is fast: a shape that is met often is
    // verified by itself.
    bool const is_rechecked =
        is_covered && met < often_met && checks != checks_run::elsewhere && trust_.wants_recheck();
    if (is_covered && met < often_met && !is_rechecked) {
        ++counts_.by_class;
        say(shape, "the variant serves: shapes like this one were verified" + addresses_said());
        return variant_;
    }
    installed_variant const& trusted = with_.defaults.code_of(of_);
    if (!may_check_now && !is_rechecked) {
        bool const is_slower = trust_.is_near_slow(key);
        ++(is_slower ? counts_.slower : counts_.by_default);
        say(shape,
            "the default serves: " + (is_slower ? "the variant is slower at about these sizes (" +
                                                      text_of_shape(with_.subject.layout, key) + ")"
                                                : why_no_class(key, frame)));
        return trusted;
    }
    ++checks_;
    auto const check = [&] {
        shape_verdict out =
            verify(trusted, key, frame,
                   checks == checks_run::beside_program ? check_beside_s
                                                        : with_.subject.options.limits.check_s);
        counts_.executions += out.executions;
        counts_.seconds += out.elapsed_s;
        counts_.executed_s += out.runs_s;
        return out;
    };
    shape_verdict verdict = check();
    // A pause of the machine also makes a first run too long.
    if (verdict.is_slower && verdict.how != shape_verdict::ending::right) verdict = check();
    if (verdict.trusted_s > 0) set_pace(key, verdict.trusted_s);
    std::string const where = text_of_shape(with_.subject.layout, key);
    // Keeps the verdict, so that no later call verifies this shape again.
    auto const remember = [&](known_verdict seen) {
        with_.shapes.locked([&] {
            // A slower variant may be one that never ends.
            if (verdict.how == shape_verdict::ending::right) memory_.is_required = false;
            if (shape != nullptr) proven_before_.insert_or_assign(as_counted(key), seen);
        });
    };
    if (verdict.is_slower) {
        ++counts_.slower;
        remember(known_verdict::slower);
        std::string const times = verdict.tried_s > 0
                                      ? seconds_text(verdict.tried_s) + " a call, the default " +
                                            seconds_text(verdict.trusted_s)
                                      : verdict.why.reason;
        if (counts_.slower == 1)
            with_.report.note("the variant is slower than the default where " + where + " (" +
                              times + "); the default serves calls of about these sizes");
        with_.shapes.locked([&] {
            trust_.add_slow(key);
            // The check did not see the variant end: it may never end for other shapes of a class.
            if (verdict.how != shape_verdict::ending::right) trust_.distrust();
        });
        with_.shapes.withdraw(variant_);
        say(shape, "the default serves: the variant is slower where " + where + " (" + times + ")");
        return with_.shapes.serve_as_before(shape, trusted);
    }
    if (verdict.how == shape_verdict::ending::right) {
        ++counts_.verified;
        if (!frame.writes_nothing()) add(key);
        compare_with_wrong();
        remember(known_verdict::right);
        keep(key, true);
        say(shape, "the variant serves: it was verified for this shape" + addresses_said());
        return with_.shapes.serve(shape, variant_, true);
    }
    bool const is_wrong = verdict.how == shape_verdict::ending::wrong;
    std::string const stage =
        is_wrong ? std::string(describe(verdict.why.stage)) + ": " : std::string();
    std::string const what = where + " (" + stage + verdict.why.reason + ")";
    note_failure(verdict, what);
    if (!is_wrong && is_covered) { // its class was verified
        say(shape, "the variant serves: shapes like this one were verified" + addresses_said());
        return with_.shapes.serve(shape, variant_);
    }
    if (is_wrong) remember(known_verdict::wrong);
    if (is_wrong) keep(key, false);
    if (is_wrong) refuse(verdict.why);
    say(shape, std::string("the default serves: the variant ") +
                   (is_wrong ? "is wrong" : "could not be verified") + " where " + what);
    return is_wrong ? with_.shapes.serve(shape, trusted)
                    : with_.shapes.serve_as_before(shape, trusted);
}

} // namespace attune::inline ATTUNE_ABI::detail
