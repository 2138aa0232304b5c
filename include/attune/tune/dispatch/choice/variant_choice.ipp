// attune/tune/dispatch/choice/variant_choice.ipp - the best known variant for a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/mode.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/run_state.hpp>

#include <algorithm>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// Most seconds that a call waits for another process that tunes the same problem.
inline constexpr double longest_claim_wait_s = 60.0;

/// Returns the shape's key in the form of a record.
[[nodiscard]] inline std::string text_of_key(std::span<std::int64_t const> key)
{
    std::string out;
    for (std::int64_t const word : key)
        out += (out.empty() ? "" : " ") + std::to_string(word);
    return out;
}

ATTUNE_INLINE search_limits variant_choice::total_left() const
{
    return what_is_left(subject_.options.limits.total, spent_evaluations_, spent_s_);
}

ATTUNE_INLINE search_limits variant_choice::limits_left() const
{
    return within(subject_.options.limits, total_left());
}

struct variant_choice::stepped::tuning {
    std::shared_ptr<device_target const> device;
    std::optional<record> known;
    tuning_problem problem;
    tuning_options now;
    std::vector<known_outcome> all{};
    std::size_t known_before = 0;
    std::unique_ptr<kept_lessons> kept{}; ///< null: no part of this program keeps lessons
    std::optional<stepped_session> session{};
};

/// Returns the memory with which the session begins, and the receiver of its outcomes.
ATTUNE_INLINE session_memory variant_choice::stepped::read_memory(bool anew)
{
    tuning& t = *tuning_;
    tuning_lessons::subject const subject{by_.subject_.options.search, key_, *of_.space, predict_};
    session_memory memory;
    double read_s = 0;
    {
        counted_seconds const counted(read_s);
        memory = by_.remembered_.memory_of(key_, *of_.space, anew);
        auto const* const part = offer_of_program<tuning_lessons>();
        if (part != nullptr && !by_.subject_.kernel.objective) { // the files hold times alone
            t.kept = part->open(subject);
            // The first slice reads the lessons for all slices, so that all have the same.
            std::optional<lesson_list>* const read = slice_ != nullptr ? slice_->lessons : nullptr;
            memory.lessons = read != nullptr && *read ? **read : t.kept->read();
            if (read != nullptr) *read = memory.lessons;
        }
    }
    std::string why = by_.subject_.kernel.objective ? "" : missing_lessons(subject);
    if (!why.empty()) {
        by_.report_.tell(why);
        told_.push_back(std::move(why));
    }
    memory.read_s = read_s;
    memory.elsewhere = by_.elsewhere_;
    if (slice_ != nullptr && slice_->known.size() > memory.known.size())
        memory.known = slice_->known;
    t.all = from_default(memory.known, *of_.default_at);
    t.known_before = t.all.size();
    memory.keep = [&t, keep = std::move(memory.keep)](known_outcome const& fresh) {
        t.all.push_back(fresh);
        if (keep) keep(fresh);
        if (t.kept) t.kept->keep(fresh);
    };
    return memory;
}

[[nodiscard]] inline std::optional<point>
guard_of(kernel_description const& kernel, chain_of_trees const& space, point const& default_at)
{
    std::optional<guard_configuration> const guard = declared_guard(kernel.source);
    if (!guard) return {};
    std::uint32_t const which = space.describe().find_parameter(guard->parameter);
    if (which == no_index) return {};
    auto const value = coordinate_of(space.describe().parameters[which], guard->value);
    if (!value) return {};
    point out = default_at;
    out[which] = *value;
    if (!space.contains(out)) return {};
    return out;
}

ATTUNE_INLINE void variant_choice::stepped::begin(bool anew)
{
    dispatched_kernel const& subject = by_.subject_;
    remembered_choice const& remembered = by_.remembered_;
    auto const device = subject.target();
    kernel_description const& kernel = subject.kernel;
    std::optional<record> known = remembered.exact(key_);
    tuning_problem problem{kernel, *of_.space,   *of_.default_at, subject.compiler,
                           frame_, device.get(), predict_};
    problem.sizes = of_.sizes;
    problem.rival = known       ? point_of(known->configuration, *of_.space)
                    : of_.rival ? of_.rival
                                : remembered.near_point(key_, *of_.space);
    problem.guard = guard_of(kernel, *of_.space, *of_.default_at);
    tuning_.reset(new tuning{device, std::move(known), problem, subject.options});
    tuning& t = *tuning_;
    session_memory memory = read_memory(anew);
    search_limits const left = by_.total_left();
    tuning_limits const& whole = subject.options.limits;
    auto const with_known = [&t](std::uint64_t more) {
        constexpr std::uint64_t any = search_limits::any_number;
        return more < any - t.known_before ? t.known_before + more : any;
    };
    t.now.limits.evaluations =
        std::min(slice_ == nullptr ? whole.evaluations
                 : slice_->sharers == 0
                     ? slice_->evaluations
                     : with_known(std::min(slice_->evaluations, slice_->left.evaluations)),
                 with_known(left.evaluations));
    t.now.limits.seconds = left.seconds;
    for (double const most : {slice_ != nullptr ? part_of(*slice_).seconds : whole.seconds,
                              slice_ != nullptr ? slice_->left.seconds : search_limits::any_time})
        t.now.limits.seconds = std::min(t.now.limits.seconds, most);
    if (slice_ != nullptr && slice_->make_bench) t.now.measuring.make_bench = slice_->make_bench;
    t.session.emplace(t.problem, t.now, std::move(memory));
}

ATTUNE_INLINE known_variant variant_choice::stepped::end()
{
    interrupt_guard const until_remembered; // the program's handler for Ctrl-C runs after that
    tuning& t = *tuning_;
    dispatched_kernel const& subject = by_.subject_;
    kernel_description const& kernel = subject.kernel;
    description const& space = of_.space->describe();
    session_result result = t.session->finish();
    t.session.reset();
    by_.spent_evaluations_ += t.all.size() - t.known_before;
    by_.spent_s_ += result.report.elapsed_s;
    // A strategy that began with outcomes of another search did not make the whole gain.
    if (t.known_before > 1) result.strategy.clear();
    // Keep the lessons of a tuning once, at its end: an interrupted tuning continues from its log,
    // and the session of a slice repeats the outcomes of the slices before it.
    tuning_limits const& allowed = subject.options.limits;
    bool const goes_on = slice_ != nullptr && slice_->sharers == 0 && result.ended == "budget" &&
                         t.all.size() < allowed.evaluations &&
                         slice_->seconds_before + slice_->seconds < allowed.seconds;
    if (t.kept && !result.report.interrupted && !goes_on) t.kept->end(result);
    for (std::string const& why : t.kept ? t.kept->problems() : std::vector<std::string>{}) {
        result.report.notices.push_back(why);
        by_.report_.tell(why);
    }
    bool const is_over = result.ended != "budget";
    if (!result.is_too_short) {
        if (slice_ != nullptr && slice_->sharers > 0) {
            t.now.limits.evaluations = part_of(*slice_).evaluations;
        } else if (slice_ != nullptr) {
            t.now.limits.seconds += slice_->seconds_before;
            // For these reasons a single session with all limits would end as well.
            if (result.ended == "space" || result.ended == "part" || result.ended == "stop rule")
                t.now.limits = subject.options.limits;
        }
        record fresh = make_record(key_, space, result, t.now);
        fresh.shape = text_;
        if (kernel.source.generator)
            fresh.generated = code_to_keep(kernel.source, space, result.at, *of_.default_at);
        if (std::string const why = by_.remembered_.keep(fresh, t.known.has_value());
            !why.empty()) {
            result.report.notices.push_back(why);
            by_.report_.tell(why);
        }
        for (point const& at : {result.at, *of_.default_at})
            subject.keep(space, at);
    }
    known_variant out;
    out.choice = {.kernel = kernel.name,
                  .configuration = text_of(space, result.at),
                  .how = choice_match::exact,
                  .why = "tuned for these inputs by this program, " +
                         detail::count_text(result.report.evaluations, "evaluation")};
    out.code = std::move(result.code);
    out.default_code = std::move(result.default_code);
    out.at = std::move(result.at);
    out.report = std::move(result.report);
    out.is_for_this_shape = true;
    out.is_too_short = result.is_too_short;
    out.is_over = is_over;
    out.outcomes = std::move(t.all);
    return out;
}

ATTUNE_INLINE problem_claim variant_choice::claim(record_key const& key, double limit_s,
                                                  std::vector<std::string>& told)
{
    problem_claim out = remembered_.claim(key, 0);
    if (out.may_tune()) return out;
    double const wait_s = std::min(limit_s, longest_claim_wait_s);
    report_.tell("another process tunes this problem: waiting for it, " + seconds_text(wait_s) +
                 " at most");
    double const begun_s = steady_seconds();
    out = remembered_.claim(key, wait_s);
    std::string const waited = seconds_text(steady_seconds() - begun_s);
    told.push_back(out.may_tune()
                       ? "waited " + waited + " for another process that tuned this problem"
                       : "another process still tunes this problem after " + waited +
                             ": each of both may disturb the times of the other");
    return out;
}

ATTUNE_INLINE known_variant variant_choice::missing(call_problem const& of, record_key const& key,
                                                    when_unknown otherwise)
{
    bool const may_tune = otherwise == when_unknown::tune;
    bool const is_spent = may_tune && wants_tuning(subject_.options.limits);
    tuning_report report = untuned_report(subject_.kernel.name, decision::served_default,
                                          is_spent    ? "tuning_options::limits.total is spent"
                                          : !may_tune ? "the store has no result for these inputs"
                                                      : "the limits allow no tuning");
    report.compiler = key.compiler;
    report.configuration = text_of(of.space->describe(), *of.default_at);
    if (is_spent) report_.tell("tuning_options::limits.total is spent: new inputs are not tuned");
    return {.report = std::move(report), .is_missing = true};
}

ATTUNE_INLINE known_variant variant_choice::tuned_elsewhere(call_problem const& of, point at,
                                                            callable code, tuning_report report)
{
    description const& space = of.space->describe();
    known_variant out;
    out.choice = {.kernel = subject_.kernel.name,
                  .configuration = text_of(space, at),
                  .how = choice_match::exact,
                  .why = "tuned for these inputs by this job, " +
                         detail::count_text(report.evaluations, "evaluation")};
    out.code = std::move(code);
    out.at = std::move(at);
    out.report = std::move(report);
    out.is_for_this_shape = true;
    out.is_over = true;
    out.proofs = remembered_.proofs_of(key_of(of), space, out.code.object_key);
    return out;
}

ATTUNE_INLINE record_key variant_choice::key_of(call_problem const& of) const
{
    std::string const compiler = subject_.compiler.identity();
    record_key key =
        make_key(subject_.kernel, of.space->describe(), compiler, subject_.target().get());
    key.inputs.insert(key.inputs.end(), of.sizes.begin(), of.sizes.end());
    key.setting = setting_of(subject_, compiler);
    return key;
}

ATTUNE_INLINE std::optional<known_variant> variant_choice::forced(call_problem const& of,
                                                                  record_key const& key,
                                                                  std::vector<std::string>& told)
{
    named_texts const& wanted = subject_.forced;
    if (wanted.empty()) return {};
    chain_of_trees const& space = *of.space;
    std::optional<point> base;
    if (std::optional<record> const known = remembered_.exact(key))
        base = point_of(known->configuration, space);
    if (std::optional<known_variant> const near =
            base ? std::nullopt : remembered_.find_near(key, space))
        base = near->at;
    forced_choice made = forced_choice_of(wanted, space, base.value_or(*of.default_at));
    told.insert(told.end(), made.notices.begin(), made.notices.end());
    if (!made.at) return {};
    compile_result compiled = subject_.code_at(space, *made.at);
    std::string const configuration = text_of(space.describe(), *made.at);
    if (auto const* const why = std::get_if<failure>(&compiled)) {
        told.push_back("ATTUNE_FORCE is ignored: " + configuration + ' ' +
                       std::string(describe(why->stage)) + " (" + why->reason + ')');
        return {};
    }
    known_variant out;
    out.code = std::get<callable>(std::move(compiled));
    out.proofs = remembered_.proofs_of(key, space.describe(), out.code.object_key);
    out.proofs.is_required = true;
    out.proofs.may_be_slower = true;
    out.is_over = true;
    std::string all;
    for (auto const& [name, text] : wanted)
        all += (all.empty() ? "" : ",") + name + '=' + text;
    out.choice = {.kernel = subject_.kernel.name,
                  .configuration = configuration,
                  .how = choice_match::forced,
                  .why = "ATTUNE_FORCE is " + all};
    out.report = untuned_report(subject_.kernel.name, decision::served_forced, out.choice.why);
    out.report.compiler = key.compiler;
    out.report.configuration = configuration;
    out.report.compile_s = out.code.compile_s;
    out.at = std::move(made.at);
    return out;
}

ATTUNE_INLINE std::optional<known_variant> variant_choice::near(call_problem const& of)
{
    return remembered_.find_near(key_of(of), *of.space);
}

ATTUNE_INLINE known_choice variant_choice::explain(call_problem const& of)
{
    record_key const key = key_of(of);
    std::vector<std::string> told;
    if (std::optional<known_variant> const known = forced(of, key, told)) return known->choice;
    chain_of_trees const& space = *of.space;
    search_limits const left = limits_left();
    std::optional<known_variant> known =
        remembered_.find(key, space, *of.default_at, false, {}, left, told);
    if (!known) known = remembered_.find_by_code(key, space, *of.default_at, false, {}, left);
    if (known) return known->choice;
    known = remembered_.find_near(key, space);
    known_choice out;
    if (known)
        out = known->choice;
    else
        out = {.kernel = subject_.kernel.name,
               .configuration = text_of(space.describe(), *of.default_at),
               .why = "the store has no configuration that could serve"};
    bool const tunes = wants_tuning(left);
    miss_policy const policy = subject_.options.on_miss;
    bool const is_apart =
        policy == miss_policy::tune_in_background || policy == miss_policy::online;
    if (tunes && is_apart)
        out.why += "; a call starts a tuning in the background";
    else if (tunes && policy != miss_policy::lookup_only)
        out.why += "; a call tunes first";
    return out;
}

ATTUNE_INLINE bool variant_choice::is_remembered(call_problem const& of) const
{
    record_key const key = key_of(of);
    std::optional<record> const known = remembered_.exact(key);
    search_limits const left = limits_left();
    if (!known || subject_.options.on_miss == miss_policy::always ||
        (!is_enough(*known, {left.evaluations, left.seconds}) && wants_tuning(left)))
        return false;
    std::optional<point> const at = point_of(known->configuration, *of.space);
    return at && !remembered_.has_failed(key, *of.space, *at);
}

ATTUNE_INLINE bool variant_choice::is_in_tuned_bucket(call_problem const& of) const
{
    kernel_description const& kernel = subject_.kernel;
    std::vector<number> const bucket = representative_of(kernel, of.inputs);
    return remembered_.has_winner_for(
        key_of(of), of.space->describe(), [&](named_texts const& texts) {
            std::vector<number> inputs = of.inputs;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                std::string const* const text = value_of(texts, kernel.inputs[i].input);
                if (text == nullptr) return false;
                if (inputs[i].is_real) { // a bucket maps whole numbers alone
                    auto const value = parse_number<double>(*text);
                    if (!value || *value != inputs[i].as_real()) return false;
                    continue;
                }
                auto const value = parse_number<std::int64_t>(*text);
                if (!value) return false;
                inputs[i] = number::of(*value);
            }
            return representative_of(kernel, inputs) == bucket;
        });
}

ATTUNE_INLINE variant_choice::stepped::stepped(variant_choice& by, call_problem const& of,
                                               call_frame const& frame,
                                               std::span<std::int64_t const> shape, bool predict,
                                               when_unknown otherwise, tuning_slice const* slice)
    : by_(by)
    , of_(of)
    , frame_(frame)
    , predict_(predict)
    , slice_(slice)
    , key_(by.key_of(of))
    , text_(text_of_key(shape))
{
    any_compiler const& compiler = by_.subject_.compiler;
    remembered_choice const& remembered = by_.remembered_;
    if (predict) key_.device += predicted_device;
    if (!predict) known_ = by_.forced(of, key_, told_);
    is_forced_ = known_.has_value();
    std::size_t const said = told_.size();
    search_limits left = otherwise == when_unknown::take_what_is_there
                             ? search_limits{.evaluations = 0}
                         : slice != nullptr && slice->sharers > 0 ? by_.total_left()
                                                                  : by_.limits_left();
    if (slice != nullptr) left = within(left, part_of(*slice));
    bool const can_tune = otherwise == when_unknown::tune && wants_tuning(left);
    bool const goes_on = slice != nullptr && !slice->known.empty();
    auto const find = [&] {
        known_ = remembered.find(key_, *of.space, *of.default_at, predict, text_, left, told_);
    };
    if (!known_ && !goes_on) find();
    bool const is_unusable = told_.size() > said; // the store's outcomes may be invalid too
    if (!known_ && !goes_on && otherwise != when_unknown::say_so) // the background tuning compiles
        known_ = remembered.find_by_code(key_, *of.space, *of.default_at, predict, text_, left);
    if (!known_ && can_tune) {
        std::optional<record> const before = remembered.exact(key_);
        bool const waits = slice == nullptr || slice->sharers == 0;
        claimed_ = waits ? by_.claim(key_, left.seconds, told_) : remembered.claim(key_, 0);
        if (!goes_on && remembered.exact(key_) != before) find(); // the other process is done
        is_elsewhere_ = !known_ && !waits && !claimed_.may_tune();
    }
    if (known_)
        if (std::string const instead = compiler.notice(); !instead.empty())
            told_.push_back(instead);
    for (std::string const& notice : told_)
        by_.report_.tell(notice);
    if (known_ || is_elsewhere_) return;
    if (can_tune)
        begin(is_unusable);
    else
        known_ = by_.missing(of, key_, otherwise);
}

/// Counts the evaluations of a dropped tuning as spent.
ATTUNE_INLINE variant_choice::stepped::~stepped()
{
    if (tuning_ == nullptr || !tuning_->session) return;
    try {
        auto const now = tuning_->session->state();
        by_.spent_evaluations_ +=
            now.best.size() - std::min(now.best.size(), tuning_->known_before);
        by_.spent_s_ += now.elapsed_s;
    } catch (...) { // no memory: not counted
    }
}

ATTUNE_INLINE stepped_session* variant_choice::stepped::session() noexcept
{
    return tuning_ != nullptr ? &*tuning_->session : nullptr;
}

ATTUNE_INLINE std::size_t variant_choice::stepped::known_before() const noexcept
{
    return tuning_ != nullptr ? tuning_->known_before : 0;
}

ATTUNE_INLINE known_variant variant_choice::stepped::finish()
{
    known_variant out = known_ ? *std::move(known_) : end();
    if (out.is_missing) return out;
    out.report.notices.insert(out.report.notices.begin(), told_.begin(), told_.end());
    remembered_choice const& remembered = by_.remembered_;
    if (!predict_ && !is_forced_) {
        bool const is_required = out.proofs.is_required;
        description const& space = of_.space->describe();
        out.proofs = remembered.proofs_of(key_, space, out.code.object_key);
        out.proofs.is_required =
            is_required && std::none_of(out.proofs.known.begin(), out.proofs.known.end(),
                                        [](proven_shape const& one) { return one.is_right; });
        if (out.proofs.is_required)
            out.proofs.refuse =
                remembered.refusal_of(key_, space, *out.at, out.code.object_key, false);
    }
    for (std::string const& notice : remembered.notices()) {
        out.report.notices.push_back(notice);
        by_.report_.tell(notice);
    }
    return out;
}

ATTUNE_INLINE known_variant variant_choice::best_known(call_problem const& of,
                                                       call_frame const& frame,
                                                       std::span<std::int64_t const> shape,
                                                       bool predict, when_unknown otherwise,
                                                       tuning_slice const* slice)
{
    stepped all{*this, of, frame, shape, predict, otherwise, slice};
    if (stepped_session* const tuning = all.session())
        while (tuning->step()) {
        }
    return all.finish();
}

} // namespace attune::inline ATTUNE_ABI::detail
