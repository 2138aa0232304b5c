// attune/tune/dispatch/choice/default_code.ipp - applies buckets, and makes the default configuration of a call and its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/kernel/compile_point.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void require_buckets(kernel_description const& kernel)
{
    for (input_bucket const& one : kernel.buckets) {
        std::string const call = "kernel.bucket<" + std::to_string(one.position) + ">(f)";
        if (std::none_of(kernel.inputs.begin(), kernel.inputs.end(),
                         [&](input_argument const& i) { return i.position == one.position; }))
            throw error("a bucket is declared for an argument that is bound to no input",
                        call + " of kernel '" + kernel.name + "'",
                        "call kernel.bind<" + std::to_string(one.position) +
                            ">(input) too, or leave the bucket out: only inputs are tuned value "
                            "by value");
    }
}

ATTUNE_INLINE std::vector<number> representative_of(kernel_description const& kernel,
                                                    std::vector<number> const& inputs)
{
    std::vector<number> out = inputs;
    for (input_bucket const& bucket : kernel.buckets)
        for (std::size_t i = 0; i < out.size(); ++i)
            if (kernel.inputs[i].position == bucket.position) out[i] = bucket.of(out[i]);
    return out;
}

ATTUNE_INLINE named_texts texts_at(description const& space, point const& at)
{
    named_texts out;
    for (named_value const& v : named_values(space))
        out.emplace_back(std::string(v.name), text_at(space, v, at));
    return out;
}

[[nodiscard]] inline bool reads_input(description const& space, std::uint32_t node)
{
    if (node == no_index) return false;
    expression_node const& n = space.nodes[node];
    return n.code == op::input || reads_input(space, n.first) || reads_input(space, n.second) ||
           reads_input(space, n.third);
}

ATTUNE_INLINE bool depends_on_inputs(description const& space)
{
    return std::any_of(space.parameters.begin(), space.parameters.end(),
                       [&](auto const& p) { return reads_input(space, p.rule.bound_node); }) ||
           std::any_of(space.constraints.begin(), space.constraints.end(),
                       [&](auto const& c) { return c.test || reads_input(space, c.root); });
}

ATTUNE_INLINE std::string why_not_with(dispatched_kernel const& subject,
                                       std::vector<number> const& inputs,
                                       named_texts const& configuration)
{
    if (!depends_on_inputs(subject.declared)) return {};
    description open = subject.declared;
    for (parameter_description& p : open.parameters)
        p.default_text.reset();
    description const bound = bind_inputs(std::move(open), subject.values_of(inputs));
    point at(bound.parameters.size());
    std::size_t i = 0;
    for (named_value const& v : named_values(bound)) {
        std::string const& text = configuration[i++].second;
        if (!set_value(bound, v, at, text))
            return text + " is no value of " + std::string(v.name) + " for these inputs";
    }
    evaluator const here{bound};
    for (constraint_description const& c : bound.constraints)
        if (c.settles == no_index && !here.holds(c, at))
            return "for these inputs it breaks " + c.text;
    return {};
}

ATTUNE_INLINE default_code::default_code(dispatched_kernel const& subject,
                                         installed_variants& variants)
    : subject_(subject)
    , variants_(variants)
    , is_for_all_(!subject.find_device &&
                  (subject.kernel.inputs.empty() ||
                   (!depends_on_inputs(subject.declared) && !subject.kernel.source.generator)))
{
    if (!subject.find_device) static_cast<void>(plain_code());
}

/// Looks for the function again at each call: the program may load its library later.
ATTUNE_INLINE installed_variant const* default_code::plain_code()
{
    if (auto const* const known = plain_.load()) return known;
    void* const function = fallback_of(subject_.kernel);
    if (function == nullptr) return nullptr;
    installed_variant const& made = variants_.install({.address = function});
    plain_ = &made;
    if (!subject_.find_device) at_hand_ = &made;
    return &made;
}

ATTUNE_INLINE void default_code::complete_locked(call_problem& of, bool may_move)
{
    if (of.space) return;
    std::optional<chain_of_trees> const like = [this] {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        return latest_;
    }();
    chain_of_trees made = space_of_call(subject_.kernel, subject_.declared,
                                        subject_.values_of(of.inputs), subject_.target().get(),
                                        may_move ? &of.moved : nullptr, like ? &*like : nullptr);
    of.default_is_declared = of.moved.empty();
    of.default_at = default_point(made).value();
    of.space.emplace(made);
    // Declared before the lock: it destroys the replaced space after the unlock.
    std::optional<chain_of_trees> before{std::move(made)};
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.swap(before);
}

ATTUNE_INLINE void default_code::complete(call_problem& of, bool may_move)
{
    std::scoped_lock<fork_safe_mutex> const only_one(of.making);
    complete_locked(of, may_move);
}

ATTUNE_INLINE std::string default_code::take_moved(call_problem& of)
{
    std::scoped_lock<fork_safe_mutex> const only_one(of.making);
    return std::exchange(of.moved, {});
}

ATTUNE_INLINE std::string default_code::configuration_of(call_problem const& of) const
{
    kernel_description const& kernel = subject_.kernel;
    // Rules may read inputs, and a generator may write any text.
    bool const is_shared =
        !subject_.find_device && !kernel.source.generator && kernel.code_rules.constraints.empty();
    return is_shared ? text_of(of.space->describe(), *of.default_at) : std::string{};
}

ATTUNE_INLINE installed_variant const* default_code::shared(std::string const& configuration) const
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    auto const at = by_configuration_.find(configuration);
    return at != by_configuration_.end() ? at->second : nullptr;
}

ATTUNE_INLINE installed_variant const& default_code::code_of(call_problem& of)
{
    if (auto const* const known = of.by_default.load()) return *known;
    std::scoped_lock<fork_safe_mutex> const only_one(of.making);
    if (auto const* const known = of.by_default.load()) return *known;
    kernel_description const& kernel = subject_.kernel;
    bool const is_for_device = subject_.target() != nullptr;
    found_ahead const own = is_for_device ? found_ahead{} : find_fallback(kernel);
    try {
        complete_locked(of, true);
        if (own.address == nullptr || kernel.fallback_is_slow || !of.default_is_declared) {
            std::string const configuration = configuration_of(of);
            if (auto const* const same = configuration.empty() ? nullptr : shared(configuration)) {
                of.by_default.store(same);
                return *same;
            }
            compile_result made = subject_.code_at(*of.space, *of.default_at);
            if (auto const* const why = std::get_if<failure>(&made))
                throw error("the default configuration of kernel '" + kernel.name + "' " +
                                std::string(describe(why->stage)),
                            kernel.source.path + ": " + why->reason,
                            own.reason.empty()
                                ? "attune_add_kernel(target file) or kernel.fallback(function) "
                                  "gives the program a kernel that needs no compiler"
                                : own.reason);
            return install(of, std::get<callable>(std::move(made)));
        }
    } catch (error const&) {
        if (is_for_device && of.space && of.default_at)
            if (std::optional<callable> held = subject_.target()->code_in_program(
                    kernel, of.space->describe(), *of.default_at))
                return install(of, std::move(*held));
        if (own.address == nullptr) throw;
    }
    installed_variant const& plain = variants_.install({.address = own.address});
    of.by_default.store(&plain);
    if (at_hand_.load() == nullptr) at_hand_ = &plain;
    return plain;
}

ATTUNE_INLINE installed_variant const& default_code::install(call_problem& of, callable code)
{
    installed_variant const& made = variants_.install(std::move(code));
    of.by_default.store(&made);
    // A precondition is the user's function, which a signal handler may not call.
    if (is_for_all_ && !subject_.kernel.precondition && at_hand_.load() == nullptr)
        at_hand_ = &made;
    if (std::string const configuration = configuration_of(of); !configuration.empty()) {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        by_configuration_.emplace(configuration, &made);
    }
    return made;
}

ATTUNE_INLINE void default_code::set(call_problem& of, callable const& code)
{
    if (code.address == nullptr) return;
    std::scoped_lock<fork_safe_mutex> const only_one(of.making);
    if (of.by_default.load() == nullptr) install(of, code);
}

ATTUNE_INLINE bool default_code::is_own(installed_variant const& v) const
{
    if (v.on_device) return v.code.compiler == code_of_the_program;
    return v.code.address == fallback_of(subject_.kernel);
}

} // namespace attune::inline ATTUNE_ABI::detail
