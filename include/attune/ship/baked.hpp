// attune/ship/baked.hpp - a kernel of a release that starts tuned: its only header of attune.
// SPDX-License-Identifier: MIT-0
// Bench    bench/ship/baked.cpp
// Needs only the standard library: no tuner, compiler, file, exceptions or run-time type
// information. The licence of this header, and of all that it includes, requires no notice.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/device_span.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_machine.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <atomic>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// The name of a kernel for `baked`.
template <fixed_string Name>
inline constexpr detail::baked_name<Name> baked_kernel{};

template <class Signature>
class baked;
/// Calls the variants that attune_bake(target KERNEL file STORE file) compiled into the program.
///
/// CPUID shows once which variants the processor can run; no other variant is touched. Inputs
/// choose among the winners. A variant serves the shapes for which the store, or the build of the
/// program (attune_bake(... SHAPES ...)), verified it. A variant also serves shapes with only
/// verified properties (see shape_properties). The default serves all other shapes. Any number of
/// threads may call.
///
/// attune_bake writes a unit for each kernel. The unit reads the processor and chooses; the call
/// itself is code of the caller. A file of the program that is compiled for newer processors
/// (-mavx512f) may therefore include this header. The compiler initialises objects of static
/// storage, so other objects may call them before main() at any time.
///
/// A kernel of a device (attune_bake(... SM 80 90)) is launched in the current context, else in the
/// primary one of device 0, like by the CUDA runtime. The call may return while the kernel still
/// runs. The first launch opens libcuda.so.1 and loads the code. If no launch is possible, the
/// program ends with a sentence; try_launch() returns the sentence. A context must outlive the
/// calls in it.
///
/// A kernel of an OpenCL device (attune_bake(... OPENCL)) takes a cl_mem as the address of a
/// device_span. It is launched on the queue of on(), else in the context of the first array, and
/// then the call waits for its end.
///
/// For a kernel of another name or type, the linker reports an error that names
/// attune::...::baked_table_of<"name", type>.
///
/// Cost     like a call of attune::tuned: 5 ns more than the function; the first call of a shape
///          some microseconds, on a device also the loading of the code
/// Example  attune::baked<void(std::span<float const>, std::span<float>, int)> scale{
///              attune::baked_kernel<"scale">};
///          scale(x, y, n);
template <class Result, class... Args>
class baked<Result(Args...)> {
public:
    /// @param most  highest allowed instruction set: "x86-64-v2", or "base"; empty: any. Ignored
    ///              for devices.
    template <fixed_string Name>
    ATTUNE_ALWAYS_INLINE constexpr explicit baked(detail::baked_name<Name>,
                                                  std::string_view most = {}) noexcept
        : table_(&detail::baked_table_of<Name, Result(Args...)>)
        , most_(detail::instruction_level_up_to(most))
    {
    }

    baked(baked const&) = delete; // calls may happen at any time
    baked& operator=(baked const&) = delete;

    ATTUNE_ALWAYS_INLINE Result operator()(Args... args) const { return call(nullptr, args...); }

    /// Calls on a stream of the caller's: see on().
    class on_stream {
    public:
        ATTUNE_ALWAYS_INLINE on_stream(baked const& self, void* stream) noexcept
            : self_(self)
            , stream_(stream)
        {
        }
        ATTUNE_ALWAYS_INLINE Result operator()(Args... args) const
        {
            return self_.call(stream_, args...);
        }

    private:
        baked const& self_;
        void* stream_;
    };

    /// `kernel.on(stream)(args...)` launches on that stream, like attune::tuned.
    /// @param stream  a CUstream or cudaStream_t; null: the legacy default stream. For OpenCL a
    ///                cl_command_queue
    [[nodiscard]] ATTUNE_ALWAYS_INLINE on_stream on(void* stream) const
    {
        static_assert(can_launch, "attune: baked.on(stream): the kernel takes arrays of the host");
        return {*this, stream};
    }

    /// Launches, and returns the status instead of ending the program.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE launch_status try_launch(void* stream, Args... args) const
    {
        static_assert(can_launch,
                      "attune: baked.try_launch(stream, ...): the kernel takes arrays of the host");
        machine& by = made();
        if (!by.is_of_device()) return {"the kernel is not one of a device", 0};
        return by.try_launch(stream, args...);
    }

    /// The code that serves such a call; for a device, in the current context. Does not read the
    /// arrays.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE baked_choice explain(Args... args) const
    {
        return made().explain(args...);
    }

    /// The calls so far by the code that served them, of all objects of this kernel with this
    /// limit. Launches on a device are not counted.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE baked_coverage coverage() const { return made().coverage(); }

private:
    using machine = detail::baked_machine<Result(Args...)>;

    /// True if a device could run a kernel of this type. A kernel of this processor may have the
    /// same type.
    static constexpr bool can_launch =
        std::is_void_v<Result> && !((detail::is_span<Args> || detail::is_view<Args> ||
                                     detail::is_constant_view<Args> || std::is_reference_v<Args>) ||
                                    ...);

    ATTUNE_ALWAYS_INLINE Result call(void* stream, Args const&... args) const
    {
        machine& by = made();
        if constexpr (can_launch)
            if (by.is_of_device()) {
                by.launch(stream, args...);
                return;
            }
        return by.run(args...);
    }

    [[nodiscard]] ATTUNE_ALWAYS_INLINE machine& made() const
    {
        machine* out = machine_.load(std::memory_order_acquire);
        if (out == nullptr) {
            detail::baked_table const& table = table_();
            out = static_cast<machine*>(
                table.machine != nullptr
                    ? table.machine(table, most_)
                    : detail::made_baked_machine<Result(Args...)>(table, most_));
            machine_.store(out, std::memory_order_release);
        }
        return *out;
    }

    detail::baked_table const& (*table_)() noexcept;
    detail::instruction_level most_;
    mutable std::atomic<machine*> machine_{nullptr};
};

} // namespace attune::inline ATTUNE_ABI
