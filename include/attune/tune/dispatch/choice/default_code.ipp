// attune/tune/dispatch/choice/default_code.ipp - the default configuration of a call, and its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/served/bucketed_inputs.hpp>
#include <attune/tune/kernel/fallback.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE default_code::default_code(dispatched_kernel const& subject,
                                         installed_variants& variants)
    : subject_(subject)
    , variants_(variants)
    , is_for_all_(!subject.find_device &&
                  (subject.kernel.inputs.empty() ||
                   (!depends_on_inputs(subject.declared) && !subject.kernel.source.generate)))
{
    if (!subject.find_device) static_cast<void>(plain_code());
}

/// The function may come with a library that is loaded later.
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
    std::optional<chain_of_trees> before{std::move(made)}; // what it replaces goes after the lock
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
    // Rules may read inputs, and a generator may write anything.
    bool const is_shared =
        !subject_.find_device && !kernel.source.generate && kernel.code_rules.constraints.empty();
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
