// attune/tune/capture/call_replay.ipp - copies captured arrays, compares a call with this program's kernel, writes results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/capture/call_replay.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns "no" if nothing was tuned or remembered.
[[nodiscard]] inline std::string_view word_of(decision how) noexcept
{
    switch (how) {
    case decision::tuned:
        return "tuned";
    case decision::kept_default:
        return "kept_default";
    case decision::remembered:
        return "remembered";
    default:
        return "no";
    }
}

ATTUNE_INLINE std::string replay_report_path()
{
    return environment_variable("ATTUNE_REPLAY_REPORT");
}

ATTUNE_INLINE std::string replay_report_text(tuning_report const& done)
{
    std::string out;
    auto const add = [&out](std::string_view name, std::string const& text) {
        out += std::string(name) + ' ' + in_one_line(text) + '\n';
    };
    add("kernel", done.kernel);
    add("how", std::string(word_of(done.how)));
    add("configuration", done.configuration);
    add("summary", done.summary());
    add("reason", done.reason);
    add("best_s", formatted("%.9g", done.best.value));
    add("default_s", formatted("%.9g", done.default_time.value));
    add("evaluations", std::to_string(done.evaluations));
    return out;
}

ATTUNE_INLINE named_texts replay_report_in(std::string_view text)
{
    named_texts out;
    while (!text.empty()) {
        std::string_view const line = text.substr(0, text.find('\n'));
        std::size_t const blank = line.find(' ');
        if (blank != line.npos) out.emplace_back(line.substr(0, blank), line.substr(blank + 1));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    }
    return out;
}

/// @return  true if the file is written
[[nodiscard]] inline bool write_replay_report(std::string const& path,
                                              std::string const& text) noexcept
{
    try {
        replace_file(path, text);
        return true;
    } catch (...) {
        return false;
    }
}

ATTUNE_INLINE void report_replay_and_end(std::string const& path,
                                         tuning_report const& done) noexcept
{
    if (path.empty() || !write_replay_report(path, replay_report_text(done))) return;
    std::fflush(nullptr);
    std::_Exit(0);
}

ATTUNE_INLINE void report_no_replay(std::string const& path, std::string const& why) noexcept
{
    if (!path.empty())
        static_cast<void>(write_replay_report(path, "how no\nreason " + in_one_line(why) + '\n'));
}

struct captured_arguments::memory {
    captured_call call;
    std::byte* first = nullptr;
    std::size_t bytes = 0;
    std::vector<std::byte*> ranges{};

    explicit memory(captured_call of)
        : call(std::move(of))
    {
        constexpr std::size_t page = captured_range::page;
        std::vector<std::size_t> at;
        for (captured_range const& one : call.ranges) {
            at.push_back(bytes + one.place);
            bytes += (one.place + one.bytes + page) / page * page;
        }
        if (bytes == 0) return;
        void* const got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED)
            throw error("there is no memory for the arrays of the captured call, which take " +
                            std::to_string(bytes) + " bytes",
                        "kernel '" + call.kernel + "'", "replay it on a machine with more memory");
        first = static_cast<std::byte*>(got);
        for (std::size_t const offset : at)
            ranges.push_back(first + offset);
    }
    ~memory()
    {
        if (first != nullptr) ::munmap(first, bytes);
    }
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;

    [[nodiscard]] std::byte* address(captured_array const& of) const noexcept
    {
        return of.range == captured_array::nowhere ? nullptr : ranges[of.range] + of.offset;
    }
};

ATTUNE_INLINE captured_arguments::captured_arguments(captured_call of)
{
    auto const made = std::make_shared<memory>(std::move(of));
    for (captured_argument const& one : made->call.arguments)
        for (std::size_t i = 0; i < one.targets.size(); ++i) {
            std::byte* const target = made->address(one.targets[i]);
            std::memcpy(made->address(*one.array) + i * sizeof(void*), &target, sizeof target);
        }
    memory_ = made;
}

ATTUNE_INLINE captured_call const& captured_arguments::call() const noexcept
{
    return memory_->call;
}

ATTUNE_INLINE std::byte* captured_arguments::address(captured_array const& of) const noexcept
{
    return memory_->address(of);
}

ATTUNE_INLINE void captured_arguments::refuse(std::size_t position) const
{
    throw error("argument " + std::to_string(position) +
                    " of the captured call has another size in this program",
                "kernel '" + call().kernel + "'", "capture the call again, with this program");
}

ATTUNE_INLINE given_arguments::array captured_arguments::array_at(std::size_t position,
                                                                  std::size_t element_bytes,
                                                                  std::size_t lengths) const
{
    if (position >= call().arguments.size()) refuse(position);
    captured_argument const& from = call().arguments[position];
    if (!from.array || from.array->lengths.size() != lengths) refuse(position);
    if (from.array->element_bytes != element_bytes) refuse(position);
    return {address(*from.array), from.array->lengths};
}

ATTUNE_INLINE std::byte const* captured_arguments::value_at(std::size_t position,
                                                            std::size_t bytes) const
{
    if (position >= call().arguments.size()) refuse(position);
    captured_argument const& from = call().arguments[position];
    if (from.array || from.value.size() != bytes) refuse(position);
    return reinterpret_cast<std::byte const*>(from.value.data());
}

[[noreturn]] inline void refuse_capture(std::string const& why, std::string const& path)
{
    throw error("the captured call is not one of this program: " + why, path,
                "capture the call again, with this program");
}

inline void require_same_kernel(captured_call const& call, kernel_description const& kernel,
                                std::string const& path)
{
    std::string const signature = signature_text(kernel.signature);
    if (call.signature != signature)
        refuse_capture("its kernel is " + call.signature + ", and in this program " + signature,
                       path);
    if (call.schema != call_schema(kernel))
        refuse_capture("other arguments are bound to inputs, or a structure has another size",
                       path);
}

/// @pre  the frame refers to the memory of `from`, and is complete
inline void fill_arrays(call_frame const& frame, captured_arguments const& from,
                        std::string const& bytes, std::string const& path)
{
    for (buffer const& b : frame.buffers) {
        if (b.argument == buffer::result || b.first_target != buffer::none) continue;
        captured_argument const& argument = from.call().arguments[b.argument];
        captured_array const& array =
            b.target == buffer::none ? *argument.array : argument.targets[b.target];
        std::string const element = element_form(b);
        if (array.element != element)
            refuse_capture("elements of " + owner_text(b.argument, b.target) + " are " +
                               array.element + ", and in this program " + element,
                           path);
        if (array.bytes != content_bytes(b) || from.address(array) != b.data)
            refuse_capture(owner_text(b.argument, b.target) + " has " +
                               std::to_string(array.bytes) + " bytes, and in this program " +
                               std::to_string(content_bytes(b)),
                           path);
        char const* next = bytes.data() + array.at;
        for_each_row(b, [&next](std::byte* to, std::size_t count) {
            std::memcpy(to, next, count);
            next += count;
        });
    }
}

ATTUNE_INLINE bool is_retuned(kernel_description const& kernel) noexcept
try {
    std::string const path = environment_variable("ATTUNE_REPLAY");
    if (path.empty() || environment_variable("ATTUNE_REPLAY_ANEW").empty()) return false;
    captured_call const call = capture_reader::of_file(path).call();
    if (call.kernel != kernel.name) return false;
    require_same_kernel(call, kernel, path);
    return true;
} catch (...) { // replay_in() reports the error
    return false;
}

ATTUNE_INLINE std::unique_ptr<replay_of_call const>
replay_in(std::string const& path, dispatched_kernel const& of, call_maker const& make)
{
    capture_reader file = capture_reader::of_file(path);
    if (file.call().kernel != of.kernel.name) return nullptr;
    require_same_kernel(file.call(), of.kernel, path);
    if (!make) refuse_capture("nothing makes its call here", path);
    std::string const bytes = file.take_bytes();
    captured_arguments memory(file.call());
    keyed_call call = make(memory);
    set_extents(call.frame, of.kernel, of.values_of(call.inputs));
    fill_arrays(call.frame, memory, bytes, path);
    std::optional<owned_call> there;
    if (std::ranges::any_of(call.frame.arguments, &call_argument::on_device)) {
        auto const device = of.target();
        device->require_device(of.kernel.name);
        there.emplace(call.frame, device.get(), array_copy::to_device);
        call.frame = there->frame();
    }
    return std::make_unique<replay_of_call const>(std::move(memory), std::move(call),
                                                  std::move(there));
}

} // namespace attune::inline ATTUNE_ABI::detail
