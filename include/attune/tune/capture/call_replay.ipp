// attune/tune/capture/call_replay.ipp - compares a captured call with the program's, and fills its arrays.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/capture/call_replay.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

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
        refuse_capture("its kernel is " + call.signature + ", and here " + signature, path);
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
                               array.element + ", and here " + element,
                           path);
        if (array.bytes != content_bytes(b) || from.address(array) != b.data)
            refuse_capture(owner_text(b.argument, b.target) + " has " +
                               std::to_string(array.bytes) + " bytes, and here " +
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
} catch (...) { // replay_in() says what is wrong
    return false;
}

ATTUNE_INLINE std::unique_ptr<replay_of_call const>
replay_in(std::string const& path, dispatched_kernel const& of, call_maker const& make)
{
    capture_reader file = capture_reader::of_file(path);
    if (file.call().kernel != of.kernel.name) return nullptr;
    require_same_kernel(file.call(), of.kernel, path);
    if (!make || of.find_device)
        refuse_capture(
            "captures hold calls on this processor, and here the kernel runs on a device", path);
    std::string const bytes = file.take_bytes();
    captured_arguments memory(file.call());
    keyed_call call = make(memory);
    set_extents(call.frame, of.kernel, of.values_of(call.inputs));
    fill_arrays(call.frame, memory, bytes, path);
    return std::make_unique<replay_of_call const>(std::move(memory), std::move(call));
}

} // namespace attune::inline ATTUNE_ABI::detail
