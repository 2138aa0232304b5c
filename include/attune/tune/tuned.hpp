// attune/tune/tuned.hpp - a kernel that is tuned at its first call, and whose result is remembered.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/core/own_float_environment.hpp>
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/compiler.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/shape/online_slot.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {
struct share_access; // tune/together.hpp

/// Compilers print these types for a wrong call: the number of the argument, from 1, and its types.
template <std::size_t Number, class Given, class Expected>
struct argument_does_not_fit;
template <std::size_t Given, std::size_t Expected, class Signature>
struct arguments_given_and_expected;

template <class Signature, class... Given>
struct wrong_call {
    using type = void;
};
template <class Result, class... Expected, class... Given>
    requires(sizeof...(Expected) != sizeof...(Given))
struct wrong_call<Result(Expected...), Given...> {
    using type =
        arguments_given_and_expected<sizeof...(Given), sizeof...(Expected), Result(Expected...)>;
};
template <class Result, class... Expected, class... Given>
    requires(sizeof...(Expected) == sizeof...(Given) &&
             !(std::is_convertible_v<Given, Expected> && ...))
struct wrong_call<Result(Expected...), Given...> {
    static constexpr std::size_t first = [] {
        std::size_t at = 0;
        static_cast<void>(((std::is_convertible_v<Given, Expected> && ++at > 0) && ...));
        return at;
    }();
    using type = argument_does_not_fit<first + 1, std::tuple_element_t<first, std::tuple<Given...>>,
                                       std::tuple_element_t<first, std::tuple<Expected...>>>;
};
template <class Refused>
inline constexpr bool serves = false;
} // namespace detail

template <class Signature, class Compiler, class Store = memory_store>
class tuned;

/// Calls the best known variant of a kernel. The first call for a set of bound inputs looks into
/// the store. If there is no match, or if the limits allow more than the stored tuning had, the
/// call tunes. A shape is the lengths, alignments, overlaps, integers, flags and scalars of a call.
/// A variant serves calls of the shapes, and classes of shapes, for which it was verified; the
/// default serves other calls: see dispatch_table. Without bound inputs several sizes may have
/// their own variant: see size_policy. A call of a known shape costs a lookup in a hash table more
/// than a call through the function pointer.
///
/// Several threads may call it. While one thread tunes or verifies, calls of unknown shapes on
/// other threads run the default.
///
/// In a signal handler a call of a known shape works as usual. For another shape the default runs
/// if it is ready, otherwise the call is an error. The default is ready as the function of
/// kernel.fallback() or attune_add_kernel, or as compiled code that is the same for all inputs. A
/// signal handler tunes nothing.
///
/// After a call the caller's data is the result of one call of the kernel, also if that call tuned.
/// While the call tunes, the data must not change or be freed. Other threads may continue, and
/// their changes of the process (environment, working directory, handlers ...) stay. attune then
/// notices such changes by a variant only in a forked child: see isolation.
///
/// The kernel runs in the caller's floating-point environment (traps, rounding, flushing to zero),
/// also in a tuning. For its own arithmetic attune uses another environment, and then restores the
/// caller's.
///
/// If ATTUNE_REPLAY names a captured call of this kernel, the constructor tunes on that call; an
/// error of that tuning is a notice. ATTUNE_CAPTURE writes such a call: see tune/capture.hpp.
///
/// With a device compiler, kernels run on that device. A call is then a launch: it returns while
/// the kernel may still run, on the legacy default stream or on the stream of on(stream). Host
/// arrays (std::span) are copied to the device and back, and such a call waits for its end. Without
/// a device, only predict() works.
///
/// In files with ATTUNE_OFF a call runs the kernel's default, without a tuner: off/tuned.hpp.
///
/// Errors   attune::error at construction: a parameter is named only in the kernel file or only in
///          the declaration. At a call, only if the kernel could not run without attune either: its
///          default configuration fails; it cannot be compiled and the program contains none
///          (attune_add_kernel, kernel.fallback); no device, a launch that the driver refuses, an
///          array outside the device's memory (checked for new shapes); in a signal handler, as
///          above
/// Example  attune::tuned sgemm{kernel, attune::clang_compiler{}, attune::store{"sgemm.attune"}};
///          sgemm(a, b, c, n);
template <class Result, class... Args, class Compiler, class Store>
class tuned<Result(Args...), Compiler, Store> {
public:
    tuned(kernel<Result(Args...)> const& k, Compiler compiler, Store store = Store{},
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
             !((detail::is_view<Args> || ...) || (detail::is_constant_view<Args> || ...) ||
               (detail::is_pointer_array<Args>() || ...)));
        static_assert(launchable,
                      "attune: tuned{kernel, compiler, store}: on a device a kernel returns void "
                      "and takes neither attune::matrix_view, attune::volume_view, "
                      "attune::constant_view nor arrays of pointers; let it write its result to a "
                      "std::span, and pass whole arrays");
        if constexpr (compiles && remembers && launchable) {
            detail::own_float_environment const numbers;
            self_->known.emplace(k.describe(), detail::make_any_compiler(self_->compiler),
                                 detail::make_any_store(self_->store), std::move(options),
                                 shape::layout(), detail::make_device_finder(self_->compiler));
            self_->known->replay(call_maker());
        }
    }

    /// Appends the coverage of its calls to the file of its store, unless that cannot be written:
    /// see call_coverage. Does not with miss_policy::lookup_only, with ATTUNE_FORCE, in a child of
    /// a fork, or in a signal handler.
    ~tuned()
    {
        if (self_) self_->known->keep_calls();
    }
    tuned(tuned&&) noexcept = default;
    tuned& operator=(tuned&&) noexcept = default;

    /// Without a store on disk, only this object remembers results.
    tuned(kernel<Result(Args...)> const& k, Compiler compiler, tuning_options options)
        : tuned(k, std::move(compiler), Store{}, std::move(options))
    {
    }

    /// Calls the kernel once on these arguments.
    Result operator()(Args... args)
    {
        if constexpr (device_compiler<Compiler>)
            launch(nullptr, args...);
        else
            return call(args...);
    }
    /// Takes no call. For a wrong call the compiler prints `Refused`: the first argument that does
    /// not fit. For wrong calls of tune() and other members it prints only its own text.
    template <class... Given,
              class Refused = typename detail::wrong_call<Result(Args...), Given...>::type>
        requires detail::serves<Refused>
    Result operator()(Given&&...) = delete;

    /// Calls on a stream of the caller: see on().
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

    /// `tuned.on(stream)(args...)` launches on that stream. A stream that is being captured takes
    /// launches into its graph, but nothing can be tuned or verified. A call of an unknown shape
    /// then launches the default. The call is an error if the default was never loaded or if a
    /// std::span must be copied; the capture continues. Make one call before the capture.
    /// @param stream  a CUstream or cudaStream_t
    [[nodiscard]] on_stream on(void* stream)
    {
        constexpr bool launches = device_compiler<Compiler>;
        static_assert(launches,
                      "attune: tuned.on(stream): the compiler makes code for this processor, which "
                      "has no streams");
        return {*this, stream};
    }

    /// Tunes for calls with these arguments now, independent of tuning_options::on_miss, unless the
    /// store has the result. The kernel is not called; afterwards the arguments are as before.
    /// Waits while another thread tunes.
    /// @return  the report of that tuning
    /// @pre     OpenCL: the program's commands that write the arrays have ended (clFinish)
    /// Errors   as a call; attune::error: called from within a tuning of this object
    tuning_report tune(Args... args)
    {
        return self_->known->tune(self_->shape_of(args...), inputs_of(args...), frame_of(args...));
    }
    /// Calls tune() for each of these calls.
    /// Example  sgemm.prepare({{a, b, c, 512}, {a, b, c, 1024}});
    void prepare(std::initializer_list<std::tuple<Args...>> calls)
    {
        for (std::tuple<Args...> const& one : calls)
            std::apply([this](Args const&... args) { static_cast<void>(tune(args...)); }, one);
    }
    /// Returns true if calls with such inputs need no tuning: a tuning ended, or the store's result
    /// is enough. Waits while another thread tunes.
    [[nodiscard]] bool is_tuned(Args... args) { return self_->known->is_tuned(inputs_of(args...)); }
    /// Returns the known configuration for calls with these arguments, its origin, and whether it
    /// serves them. Tunes and runs nothing; compiles code only if the answer depends on it. Waits
    /// while another thread tunes.
    /// Errors   attune::error: no compiler; called from within a tuning of this object
    [[nodiscard]] known_choice explain(Args... args)
    {
        return self_->known->explain(self_->shape_of(args...), inputs_of(args...));
    }
    /// Waits until no tuning runs or waits in the background: see miss_policy.
    /// Errors   attune::error: called from within a tuning
    void wait() const { self_->known->wait(); }

    /// Tunes without a device, for the device that the compiler names, by the resources of the
    /// compiled code: see predicted_objective(). attune runs nothing, and reads no arrays: the
    /// arrays may be empty. The result is remembered apart from measured ones. On a device of that
    /// instruction set the result is a near choice if nothing was measured: see choice_match.
    /// @return  the result; its times have no unit
    [[nodiscard]] tuning_report predict(Args... args)
    {
        constexpr bool predicts = device_compiler<Compiler>;
        static_assert(predicts,
                      "attune: tuned.predict(arguments...): the compiler makes code for this "
                      "processor, which can run it: call it");
        return self_->known->predict(inputs_of(args...), frame_of(args...));
    }

    /// Returns the origin of the variant in use, and which code serves the latest new shape, with
    /// the reason. Does not wait for a tuning, but returns the report of the call before.
    [[nodiscard]] tuning_report report() const { return self_->known->report(); }

private:
    friend struct detail::share_access;
    using shape = detail::shape_of_call<Args...>;

    struct parts {
        parts(kernel_description const& k, Compiler c, Store s)
            : kernel(k)
            , shape_of(detail::shape_choice_of(k))
            , compiler(std::move(c))
            , store(std::move(s))
        {
        }
        kernel_description kernel;
        shape shape_of;
        Compiler compiler;
        Store store;
        std::optional<detail::dispatch_table> known{};
    };

    [[nodiscard]] std::vector<number> inputs_of(Args const&... args) const
    {
        std::vector<number> inputs;
        for (detail::input_argument const& input : self_->kernel.inputs)
            inputs.push_back(detail::number_of_argument(input.position, args...));
        return inputs;
    }
    [[nodiscard]] call_frame frame_of(Args const&... args) const
    {
        auto const frame = [&tolerances = self_->kernel.tolerances](Args const&... these) {
            return detail::make_frame_of<Result, Args...>(tolerances, these...);
        };
        call_frame out = frame(args...);
        // Calls with views or arrays of pointers are not drawn in other sizes.
        constexpr bool can_shrink =
            !((detail::is_view<Args> || ...) || (detail::is_pointer_array<Args>() || ...));
        if constexpr (can_shrink)
            out.resized =
                [frame, held = std::tuple<Args...>(args...)](std::span<std::int64_t const> sizes) {
                    return std::apply(frame, detail::resized_arguments(
                                                 held, sizes, std::index_sequence_for<Args...>{}));
                };
        return out;
    }

    [[nodiscard]] detail::keyed_call call_of(Args const&... args) const
    {
        typename shape::key const key = self_->shape_of(args...);
        return {{key.begin(), key.end()}, inputs_of(args...), frame_of(args...)};
    }

    /// Returns a maker that turns a captured call into a call of this kernel.
    [[nodiscard]] detail::call_maker call_maker() const
    {
        return [this](detail::given_arguments const& from) {
            return std::apply([this](Args const&... args) { return call_of(args...); },
                              detail::given_arguments_of<Args...>(from));
        };
    }

    /// Runs the code of a call that takes the slow path.
    [[gnu::noinline]] Result call_slowly(typename shape::key const& key, Args const&... args)
    {
        if (auto const* const by = self_->known->in_signal_handler())
            return function_of(by->code)(args...);
        detail::served_call counted;
        detail::installed_variant const& by =
            self_->known->obtain(key, inputs_of(args...), frame_of(args...), nullptr, &counted);
        detail::timed_call const watch(
            [&](double seconds) { self_->known->count(counted, by, seconds); });
        return function_of(by.code)(args...);
    }
    /// Runs one of the timed calls of a known shape.
    [[gnu::noinline]] Result call_timed(detail::known_shape& met,
                                        detail::installed_variant const& by, Args const&... args)
    {
        self_->known->look_at_sizes();
        detail::timed_call const watch([&](double seconds) { met.took(by, seconds); });
        return function_of(by.code)(args...);
    }
    [[nodiscard]] static auto function_of(callable const& code) noexcept
    {
        return reinterpret_cast<Result (*)(Args...)>(code.address);
    }

    Result call(Args const&... args)
    {
        typename shape::key const key = self_->shape_of(args...);
        if (detail::known_shape* const met = self_->known->shapes().find(key)) {
            auto const* const ready = met->serves.load(std::memory_order_acquire);
            if (auto* const counter = met->counter.load(std::memory_order_acquire)) counter->add();
            if (ready != nullptr) {
                if (met->count()) return call_timed(*met, *ready, args...);
                return function_of(ready->code)(args...);
            }
            if (auto* const slot = met->tries.load(std::memory_order_acquire)) {
                static_cast<void>(met->count());
                detail::online_call const turn(*slot);
                return reinterpret_cast<Result (*)(Args...)>(turn.entry())(args...);
            }
        }
        return call_slowly(key, args...);
    }

    [[nodiscard]] detail::installed_variant const&
    obtain_for_launch(typename shape::key const& key, void* stream, Args const&... args)
    {
        if (auto const* const by = self_->known->in_signal_handler()) return *by;
        detail::served_call counted;
        detail::installed_variant const& by =
            self_->known->obtain(key, inputs_of(args...), frame_of(args...), stream, &counted);
        self_->known->count(counted, by, detail::untimed);
        return by;
    }

    void launch(void* stream, Args const&... args)
    {
        detail::launch_arguments<Args...> passed{args...};
        typename shape::key const key = self_->shape_of(args...);
        detail::known_shape* const met = self_->known->shapes().find(key);
        auto const* by = met != nullptr ? met->serves.load(std::memory_order_acquire) : nullptr;
        if (by == nullptr) {
            by = &obtain_for_launch(key, stream, args...);
        } else {
            require_taken(args...);
            static_cast<void>(met->count());
        }
        passed.launch(*by->on_device, stream);
    }

    /// The shape of a device call does not contain the host addresses of its arrays.
    void require_taken(Args const&... args) const
    {
        if constexpr ((std::is_same_v<Args, detail::host_argument<Args>> && ...)) {
            if (!self_->kernel.precondition) return;
            detail::host_call<void, Args...> const call{{args...}};
            self_->known->require_taken(&call);
        }
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
#endif // ATTUNE_OFF
