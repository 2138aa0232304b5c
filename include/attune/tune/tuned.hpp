// attune/tune/tuned.hpp - a kernel that tunes itself at its first call, and remembers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/compile/device_compiler.hpp>
#include <attune/core/posix/forever.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/device/devices.hpp>
#include <attune/tune/dispatch_table.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/shape/call_shape.hpp>
#include <attune/tune/shape/resized_frame.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

template <class Signature, class Compiler, class Store = memory_store>
class tuned;

/// Calls the best known variant of a kernel. The first call for a set of bound inputs looks into
/// the store and, if nothing matches, tunes. A variant serves calls of a shape (lengths, integers,
/// alignments, overlaps) that it was verified for, by itself or by its class; the default serves
/// the others: see dispatch_table. A call of a known shape costs a look into a hash table over
/// the plain function pointer.
///
/// May be called from several threads: while one tunes or verifies, calls of the others that are
/// not known yet run the default.
///
/// The caller's data is what one call of the kernel makes of it, also when that call tuned. It must
/// not change or go away while the call tunes. Other threads may go on meanwhile, and what they
/// change of the process (environment, working directory, handlers ...) stays; what a variant
/// changes of it is then noticed in a forked child only: see isolation.
///
/// A compiler for a device makes kernels of that device. A call is a launch then: it returns while
/// the kernel may still run, on the legacy default stream, unless it is on(stream). Arrays of the
/// host, std::span, are copied to the device and back, and such a call waits for its end. Where
/// there is no device, predict() is all that works.
///
/// Errors   attune::error at the construction: parameters that kernel file and declaration do not
///          both name. At a call, only where the kernel could not run without attune either: its
///          default configuration does not work; it cannot be compiled and the program holds none
///          (attune_add_kernel, kernel.fallback); no device, a launch that the driver refuses, an
///          array that is not in the device's memory (looked at when the shape is new)
/// Example  attune::tuned sgemm{kernel, attune::clang_compiler{}, attune::store{"sgemm.attune"}};
///          sgemm(a, b, c, n);
template <class Result, class... Args, class Compiler, class Store>
class tuned<Result(Args...), Compiler, Store> {
public:
    tuned(kernel<Result(Args...)> const& k,
          Compiler compiler,
          Store store = Store{},
          tuning_options options = {})
        : self_(new parts(k.describe(), std::move(compiler), std::move(store)))
    {
        constexpr bool compiles = attune::compiler<Compiler>;
        constexpr bool remembers = record_store<Store>;
        static_assert(compiles,
                      "attune: tuned{kernel, compiler, store}: the second argument is not a "
                      "compiler; use attune::clang_compiler or attune::system_compiler, or see "
                      "the concept attune::compiler");
        static_assert(remembers,
                      "attune: tuned{kernel, compiler, store}: the third argument is not a store; "
                      "use attune::store{\"file\"} or see the concept attune::record_store");
        constexpr bool reachable =
            device_compiler<Compiler> || !(detail::is_device_array<Args> || ...);
        static_assert(reachable,
                      "attune: tuned{kernel, compiler, store}: the kernel takes arrays of a device "
                      "(attune::device_span, pointers), and the compiler makes code for this "
                      "processor; use attune::nvrtc_compiler, or std::span");
        constexpr bool same_numbers =
            !device_compiler<Compiler> || !(detail::has_long_double<Args>() || ...);
        static_assert(same_numbers,
                      "attune: tuned{kernel, compiler, store}: the kernel takes long double, and "
                      "a long double has 16 bytes here and 8 on a device; use double");
        constexpr bool launchable =
            !device_compiler<Compiler> ||
            (std::is_void_v<Result> &&
             !((detail::is_view<Args> || ...) || (detail::is_pointer_array<Args>() || ...)));
        static_assert(launchable,
                      "attune: tuned{kernel, compiler, store}: on a device a kernel returns void "
                      "and takes neither attune::matrix_view, attune::volume_view nor arrays of "
                      "pointers; let it write its result to a std::span, and pass whole arrays");
        if constexpr (compiles && remembers && launchable)
            self_->known.emplace(k.describe(),
                                 make_any_compiler(self_->compiler),
                                 make_any_store(self_->store),
                                 std::move(options),
                                 shape::layout());
    }

    /// Without a store on disk: what is found is remembered by this object alone.
    tuned(kernel<Result(Args...)> const& k, Compiler compiler, tuning_options options)
        : tuned(k, std::move(compiler), Store{}, std::move(options))
    {
    }

    /// One call of the kernel on these arguments.
    Result operator()(Args... args)
    {
        if constexpr (device_compiler<Compiler>)
            launch(nullptr, args...);
        else
            return reinterpret_cast<Result (*)(Args...)>(
                variant_for(nullptr, args...).code.address)(args...);
    }

    /// Calls on a stream of the caller's: see on().
    class on_stream {
    public:
        on_stream(tuned& self, void* stream) noexcept
            : self_(self)
            , stream_(stream)
        {
        }
        void operator()(Args... args) const { self_.launch(stream_, args...); }

    private:
        tuned& self_;
        void* stream_;
    };

    /// `tuned.on(stream)(args...)` launches there. A stream that is being captured takes launches
    /// into its graph. Nothing can be tuned or verified meanwhile: a call of a shape that is not
    /// known yet launches the default, and where that was never loaded, or a std::span is to be
    /// copied, it is an error, and the capture goes on. Make one call before the capture.
    /// @param stream  a CUstream or cudaStream_t
    [[nodiscard]] on_stream on(void* stream)
    {
        constexpr bool launches = device_compiler<Compiler>;
        static_assert(launches,
                      "attune: tuned.on(stream): the compiler makes code for this processor, which "
                      "has no streams");
        return {*this, stream};
    }

    /// Tunes without a device, for the one that the compiler names: by what the compiled code takes
    /// of it, see predicted_objective(). Nothing is run, and no array is looked at: they may be
    /// empty. What is found is remembered apart from what was measured, and never installed.
    /// @return  what was found; its times have no unit
    [[nodiscard]] tuning_report predict(Args... args)
    {
        constexpr bool predicts = device_compiler<Compiler>;
        static_assert(predicts,
                      "attune: tuned.predict(arguments...): the compiler makes code for this "
                      "processor, which can run it: call it");
        return self_->known->predict(inputs_of(args...), frame_of(args...));
    }

    /// How the variant in use came about, what serves the latest new shape, and why. While a call
    /// tunes, that of the call before; nothing waits for it.
    [[nodiscard]] tuning_report report() const { return self_->known->report(); }

private:
    using shape = shape_of_call<Args...>;

    struct parts {
        parts(kernel_description const& k, Compiler c, Store s)
            : kernel(k)
            , shape_of(shape_choice_of(k))
            , compiler(std::move(c))
            , store(std::move(s))
        {
        }
        kernel_description kernel;
        shape shape_of;
        Compiler compiler;
        Store store;
        std::optional<dispatch_table> known{};
    };

    [[nodiscard]] std::vector<number> inputs_of(Args const&... args) const
    {
        std::vector<number> inputs;
        for (input_argument const& input : self_->kernel.inputs)
            inputs.push_back(detail::number_of_argument(input.position, args...));
        return inputs;
    }
    [[nodiscard]] call_frame frame_of(Args const&... args) const
    {
        auto const frame = [&tolerances = self_->kernel.tolerances](Args const&... these) {
            return make_frame_of<Result, Args...>(tolerances, these...);
        };
        call_frame out = frame(args...);
        // Smaller views and smaller arrays behind pointers are not made.
        constexpr bool can_shrink =
            !((detail::is_view<Args> || ...) || (detail::is_pointer_array<Args>() || ...));
        if constexpr (can_shrink)
            out.resized =
                [frame, held = std::tuple<Args...>(args...)](std::span<std::int64_t const> sizes) {
                    return std::apply(
                        frame,
                        detail::resized_arguments(held, sizes, std::index_sequence_for<Args...>{}));
                };
        return out;
    }

    [[nodiscard]] installed_variant const& variant_for(void* stream, Args const&... args)
    {
        typename shape::key const key = self_->shape_of(args...);
        if (known_shape const* const met = self_->known->shapes().find(key))
            if (auto const* const ready = met->serves.load(std::memory_order_acquire))
                return *ready;
        return self_->known->obtain(key, inputs_of(args...), frame_of(args...), stream);
    }

    void launch(void* stream, Args const&... args)
    {
        detail::launch_arguments<Args...> passed{args...};
        passed.launch(*variant_for(stream, args...).on_device, stream);
    }

    detail::owned_until_end<parts> self_;
};

template <class Signature, class Compiler, class... Rest>
tuned(kernel<Signature> const&, Compiler, Rest...) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler>
tuned(kernel<Signature> const&, Compiler, tuning_options) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store) -> tuned<Signature, Compiler, Store>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store, tuning_options)
    -> tuned<Signature, Compiler, Store>;

} // namespace attune::inline ATTUNE_ABI
