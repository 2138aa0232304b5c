// attune/tune/dispatch/dispatched_kernel.ipp - checks the kernel, writes notices, and installs code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <bit>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t most_sentences = 1'000;
inline constexpr std::size_t most_failures = 100;

ATTUNE_INLINE dispatch_report::dispatch_report(std::string kernel, progress_sink sink)
    : kernel_(std::move(kernel))
    , sink_(std::move(sink))
{
    latest_.kernel = kernel_;
}

ATTUNE_INLINE tuning_report dispatch_report::latest() const
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    return latest_;
}

ATTUNE_INLINE void dispatch_report::set(tuning_report now)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_ = std::move(now);
}

ATTUNE_INLINE void dispatch_report::set_serving(served_shapes const& counts, std::string sentence)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.shapes = counts;
    latest_.serving = std::move(sentence);
}

ATTUNE_INLINE void dispatch_report::add_shape_failure(shape_failure failed)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (latest_.shape_failures.size() < most_failures)
        latest_.shape_failures.push_back(std::move(failed));
}

ATTUNE_INLINE bool dispatch_report::tell(std::string const& text)
{
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (said_.size() >= most_sentences || !said_.insert(text).second) return false;
    }
    if (!sink_) return true;
    struct progress p;
    p.event = progress_event::notice;
    p.name = kernel_;
    p.text = text;
    sink_(p);
    return true;
}

ATTUNE_INLINE void dispatch_report::note(std::string const& text)
{
    if (!tell(text)) return;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.notices.push_back(text);
}

ATTUNE_INLINE void dispatch_report::note_difference(std::string const& difference)
{
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (!latest_.baseline_differs.empty()) return;
        latest_.baseline_differs = difference;
    }
    std::string const text =
        differs_from_own(difference, "here the reference is your own code. A variant with the "
                                     "result of either of them serves");
    if (!tell(text)) return;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.notices.insert(latest_.notices.begin(), text);
}

ATTUNE_INLINE shape_choice shape_choice_of(kernel_description const& kernel)
{
    shape_choice out{.ignored = kernel.ignored,
                     .any_shape = kernel.any_shape,
                     .any_alignment = kernel.any_alignment};
    for (input_argument const& input : kernel.inputs) {
        if (out.bound.size() <= input.position) out.bound.resize(input.position + 1);
        out.bound[input.position] = true;
    }
    return out;
}

ATTUNE_INLINE shape_choice shape_choice_of_proofs(kernel_description const& kernel)
{
    shape_choice out = shape_choice_of(kernel);
    for (input_bucket const& one : kernel.buckets)
        out.bound[one.position] = false;
    return out;
}

ATTUNE_INLINE std::int64_t rules_of_proof(kernel_description const& kernel,
                                          std::vector<shape_word> const& layout)
{
    content_hash hash;
    for (shape_word const& word : layout)
        if (word.part == shape_part::real) hash.add("half octaves");
    for (shape_word const& word : layout)
        hash.add(std::to_string(static_cast<int>(word.part))).add(std::to_string(word.argument));
    for (bool const ignored : kernel.ignored)
        hash.add(ignored ? "ignored" : "counts");
    for (std::optional<tolerance> const& allowed : kernel.tolerances)
        hash.add(!allowed ? "usual"
                          : std::to_string(std::bit_cast<std::uint64_t>(allowed->absolute)) + ' ' +
                                std::to_string(std::bit_cast<std::uint64_t>(allowed->relative)) +
                                (allowed->any ? " any" : ""));
    if (kernel.any_alignment) hash.add("any alignment");
    hash.add(kernel.check ? "checked" : "compared");
    if (kernel.error) hash.add(hexadecimal_text(kernel.most_error));
    hash.add(kernel.reference ? "given reference" : "default's reference");
    if (kernel.reference_serves) hash.add("of some calls");
    return static_cast<std::int64_t>(std::stoull(hash.hex().substr(0, 15), nullptr, 16));
}

ATTUNE_INLINE named_texts facts_of_calls(kernel_description const& kernel,
                                         description const& declared,
                                         std::vector<shape_word> const& layout)
{
    call_facts out{.layout = layout,
                   .any_shape = kernel.any_shape,
                   .any_alignment = kernel.any_alignment,
                   .source_flags = kernel.source.flags,
                   .is_checked = static_cast<bool>(kernel.check),
                   .is_generated = static_cast<bool>(kernel.source.generator),
                   .rules = rules_of_proof(kernel, layout),
                   .launch = launch_facts_of(kernel, declared)};
    for (std::size_t i = 0; i < kernel.tolerances.size(); ++i)
        if (kernel.tolerances[i]) out.tolerances.emplace_back(i, *kernel.tolerances[i]);
    for (input_argument const& input : kernel.inputs)
        out.inputs.emplace_back(input.input, input.position);
    for (std::size_t i = 0; i < kernel.ignored.size(); ++i)
        if (kernel.ignored[i]) out.ignored.push_back(i);
    for (parameter_description const& p : kernel.space.parameters)
        if (p.role == parameter_role::flags)
            out.flags.push_back(p.name);
        else if (p.role == parameter_role::compiler)
            out.compilers.push_back(p.name);
    for (named_value const& v : named_values(declared))
        if (declared.parameters[v.first].is_own_name) out.own_names.emplace_back(v.name);
    return facts_texts(out);
}

ATTUNE_INLINE std::vector<input_value>
dispatched_kernel::values_of(std::vector<number> const& inputs) const
{
    std::vector<input_value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        values.emplace_back(kernel.inputs[i].input, inputs[i]);
    return values;
}

ATTUNE_INLINE void dispatched_kernel::complete(call_frame& frame,
                                               std::vector<number> const& inputs) const
{
    if (target() != nullptr && !kernel.launch)
        throw error("kernel '" + kernel.name + "' does not say how a device launches it",
                    kernel.source.path, "give it kernel.grid(...) and kernel.block(...)");
    set_extents(frame, kernel, values_of(inputs));
}

ATTUNE_INLINE bool dispatched_kernel::is_taken(call_frame const& frame) const
{
    return !kernel.precondition ||
           answer_of([this](void const* arguments) { return is_taken(arguments); }, frame);
}

ATTUNE_INLINE bool dispatched_kernel::is_taken(void const* arguments) const
{
    bool const out = !kernel.precondition || kernel.precondition(arguments);
    if (!out && find_device) // a function of the program cannot run on a device
        throw error("no variant of kernel '" + kernel.name + "' takes a call",
                    "kernel.precondition(f) returned false",
                    "call your own function for such arguments");
    return out;
}

ATTUNE_INLINE compile_result dispatched_kernel::code_at(chain_of_trees const& space,
                                                        point const& at) const
{
    auto const source = source_at(kernel.source, space.describe(), at);
    if (auto const* const why = std::get_if<failure>(&source)) return *why;
    if (std::optional<callable> kept = compiler.find_winner(
            std::get<kernel_source>(source), make_variant(kernel, space.describe(), at)))
        return std::move(*kept);
    compile_result compiled = compile_point(kernel, space.describe(), compiler, target().get(), at);
    if (std::holds_alternative<callable>(compiled)) keep(space.describe(), at);
    return compiled;
}

ATTUNE_INLINE void dispatched_kernel::keep(description const& space, point const& at) const
{
    auto const source = source_at(kernel.source, space, at);
    if (auto const* const whole = std::get_if<kernel_source>(&source))
        compiler.keep_winner(*whole, make_variant(kernel, space, at));
}

ATTUNE_INLINE installed_variant const* installed_variants::equal_to(callable const& code) const
{
    if (auto const at = by_address_.find(code.address); at != by_address_.end()) return at->second;
    if (code.object_key.empty()) return nullptr;
    auto const at = by_key_.find(code.object_key);
    return at != by_key_.end() ? at->second : nullptr;
}

ATTUNE_INLINE installed_variant const& installed_variants::install(callable code)
{
    auto const device = subject_.target();
    auto made = std::make_unique<installed_variant>();
    made->code = std::move(code);
    if (device) {
        made->on_device = device->load(made->code, subject_.kernel.name);
        keep_forever(made->code.code);
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        return *all_.emplace_back(std::move(made));
    }
    installed_variant const* out = nullptr;
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        out = equal_to(made->code);
        if (out != nullptr) return *out; // `made` is unloaded after the lock
        out = all_.emplace_back(std::move(made)).get();
        by_address_.emplace(out->code.address, out);
        if (!out->code.object_key.empty()) by_key_.emplace(out->code.object_key, out);
    }
    keep_forever(out->code.code);
    return *out;
}

} // namespace attune::inline ATTUNE_ABI::detail
