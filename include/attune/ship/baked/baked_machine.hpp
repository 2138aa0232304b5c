// attune/ship/baked/baked_machine.hpp - reads the processor, chooses code for calls, and keeps that of known shapes.
// SPDX-License-Identifier: MIT-0
// The unit with a kernel's default makes it (bake/bake_text.hpp); its symbols are local to that
// unit. All code that the program's own files use is inlined into them, down to std::array. No
// function here, or of the standard library, can then come from a file with newer instructions.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/shape/call_counters.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The code that serves a call.
struct baked_choice {
    std::string_view configuration{}; ///< "TILE_M=64 TILE_N=8"
    /// "x86-64-v3"; "base": the program's own flags; for a device "sm_90", or "PTX sm_80".
    std::string_view instructions{};
    bool is_default = true;
    std::string_view why{};   ///< the reason, if it is the default
    std::string_view proof{}; ///< of a variant: "record", "build" or "record and build"
    /// True: not measured on such a device. tuned.predict() chose it by the resources of its code.
    /// Without any verification its proof is "prediction": attune_bake(... UNVERIFIED).
    bool is_predicted = false;
};

/// Calls of a kernel by the code that served them. Exact for one thread; of several threads at once
/// a few counts may be lost. Seconds are an estimate: some calls are timed, one in 1,024 in the
/// long run.
struct baked_coverage {
    std::uint64_t by_variant = 0; ///< a variant of the store
    std::uint64_t not_faster = 0; ///< the default: nothing faster was found for these inputs
    std::uint64_t unverified = 0; ///< the default: no shape like this one was verified
    std::uint64_t unsupported =
        0;                   ///< the default: this processor lacks instructions of the variant
    double by_variant_s = 0; ///< seconds in these calls
    double not_faster_s = 0;
    double unverified_s = 0;
    double unsupported_s = 0;

    [[nodiscard]] constexpr std::uint64_t calls() const noexcept
    {
        return by_variant + not_faster + unverified + unsupported;
    }
    [[nodiscard]] constexpr double seconds() const noexcept
    {
        return by_variant_s + not_faster_s + unverified_s + unsupported_s;
    }
};

namespace detail {

/// The reason why some code serves a call: the column of its counter.
enum class baked_answer : std::uint32_t { variant, not_faster, unverified, unsupported };

/// A hash table of a fixed number of shapes of `Words` words. Further shapes go to a second table,
/// in which each shape has a single place and replaces the former shape there. Any number of
/// threads may use it.
template <std::size_t Words, class Code>
class code_by_shape {
public:
    using key = std::array<std::int64_t, Words>;

    /// Returns null if the shape is unknown, or in the second table.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE Code find(key const& wanted) const noexcept
    {
        std::size_t at = hash_of_shape(wanted) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry const& one = entries_.get()[at];
            if (one.state.load(std::memory_order_acquire) != filling::ready) return nullptr;
            if (is_same(one.words, wanted)) return one.code;
        }
        return nullptr;
    }
    /// Searches the second table. Returns null if the shape is not there.
    [[nodiscard]] Code find_late(key const& wanted) const noexcept
    {
        late_entry const& one = late_[late_place(wanted)];
        std::uint32_t const version = one.version.load(std::memory_order_acquire);
        bool is_mine = version != 0 && version % 2 == 0;
        for (std::size_t i = 0; i < Words; ++i)
            is_mine = is_mine && one.words[i].load(std::memory_order_acquire) == wanted[i];
        if (!is_mine) return nullptr;
        Code const found = one.code.load(std::memory_order_acquire);
        return one.version.load(std::memory_order_relaxed) == version ? found : nullptr;
    }
    /// Two threads may keep the same shape twice, with the same code.
    void keep(key const& words, Code code) noexcept
    {
        std::size_t at = hash_of_shape(words) & mask;
        for (std::size_t probe = 0; probe < most_probes; ++probe, at = (at + 1) & mask) {
            entry& one = entries_[at];
            filling expected = filling::empty;
            if (!one.state.compare_exchange_strong(expected, filling::in_work,
                                                   std::memory_order_acquire))
                continue;
            one.words = words;
            one.code = code;
            one.state.store(filling::ready, std::memory_order_release);
            return;
        }
        keep_late(words, code);
    }

private:
    static constexpr std::size_t mask = 4'095;
    static constexpr std::size_t most_probes = 16;
    static constexpr std::size_t late_entries = 1'024;

    enum class filling : std::uint32_t { empty, in_work, ready };
    struct entry {
        std::atomic<filling> state{filling::empty};
        key words{};
        Code code{};
    };

    /// Written while `version` is odd. A read is valid only if `version` is the same before and
    /// after.
    struct late_entry {
        std::atomic<std::uint32_t> version{0};
        std::array<std::atomic<std::int64_t>, Words> words{};
        std::atomic<Code> code{};
    };

    [[nodiscard]] static std::size_t late_place(key const& words) noexcept
    {
        return (hash_of_shape(words) >> 32) % late_entries;
    }
    /// Does nothing if another thread is writing.
    void keep_late(key const& words, Code code) noexcept
    {
        late_entry& one = late_[late_place(words)];
        std::uint32_t version = one.version.load(std::memory_order_relaxed);
        if (version % 2 != 0 ||
            !one.version.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel))
            return;
        for (std::size_t i = 0; i < Words; ++i)
            one.words[i].store(words[i], std::memory_order_release);
        one.code.store(code, std::memory_order_release);
        // Skips 0, which means that nothing was written.
        one.version.store(version + 2 != 0 ? version + 2 : 2, std::memory_order_release);
    }

    [[nodiscard]] ATTUNE_ALWAYS_INLINE static bool is_same(key const& a, key const& b) noexcept
    {
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < Words; ++i)
            difference |= a[i] ^ b[i];
        return difference == 0;
    }

    std::unique_ptr<entry[]> entries_ = std::make_unique<entry[]>(mask + 1);
    std::unique_ptr<late_entry[]> late_ = std::make_unique<late_entry[]>(late_entries);
};

template <class Signature>
class baked_machine;
/// The target of calls of `attune::baked`, for one kernel and one limit of instruction sets. Never
/// freed.
template <class Result, class... Args>
class baked_machine<Result(Args...)> {
public:
    using function = Result (*)(Args...);

    baked_machine(baked_table const& table, instruction_level most)
        : shape_of_(choice_of(table))
        , table_(table)
        , most_(most)
        , level_(std::min(most, level_of(words_of_this_processor())))
        , device_(device_among(table))
        , served_(std::make_unique<served_code[]>(defaults + builds_before(table.variants.count)))
    {
        for (std::size_t i = 0; i < defaults; ++i)
            served_[i].answer = static_cast<baked_answer>(i);
        std::vector<shape_word> const layout = shape::layout();
        if (!std::equal(layout.begin(), layout.end(), table.layout.begin(), table.layout.end()))
            return;
        for (baked_variant const& one : table.variants)
            properties_.emplace_back(
                layout, std::vector<std::int64_t>(one.divisors.begin(), one.divisors.end()),
                one.address_modulus);
    }
    baked_machine(baked_machine const&) = delete;
    baked_machine& operator=(baked_machine const&) = delete;

    ATTUNE_ALWAYS_INLINE Result run(Args const&... args)
    {
        key const words = shape_of_(args...);
        served_code const* known = known_.find(words);
        if (known == nullptr) known = obtain_(*this, words, args...);
        auto const answer = static_cast<std::size_t>(known->answer);
        std::uint64_t const calls = counted_.add(answer);
        function const code = known->code.load(std::memory_order_relaxed);
        if ((calls & times_[answer].mask.load(std::memory_order_relaxed)) != 0)
            return code(args...);
        timed_call const timed(*this, answer);
        return code(args...);
    }
    [[nodiscard]] ATTUNE_ALWAYS_INLINE baked_coverage coverage() const { return coverage_(*this); }
    [[nodiscard]] ATTUNE_ALWAYS_INLINE baked_choice explain(Args const&... args) const
    {
        return explain_(*this, args...);
    }

    /// Returns true for a kernel of a device: use launch() or try_launch(), otherwise run().
    [[nodiscard]] ATTUNE_ALWAYS_INLINE bool is_of_device() const noexcept
    {
        return launch_ != nullptr;
    }
    /// Launches; ends the program on a failure.
    ATTUNE_ALWAYS_INLINE void launch(void* stream, Args const&... args)
    {
        launch_(*this, stream, shape_of_(args...), args...);
    }
    [[nodiscard]] ATTUNE_ALWAYS_INLINE launch_status try_launch(void* stream, Args const&... args)
    {
        return try_launch_(*this, stream, shape_of_(args...), args...);
    }

    [[nodiscard]] bool is_for(baked_table const& table, instruction_level most) const noexcept
    {
        return &table_ == &table && most_ == most;
    }
    baked_machine* older = nullptr; ///< next machine of a list

protected:
    using shape = shape_of_call<Args...>;
    using key = typename shape::key;

    struct choice {
        baked_variant const* variant = nullptr; ///< null: the default
        baked_build const* build = nullptr;
        char const* why = "";
        baked_answer answer = baked_answer::variant;
    };

    /// Code that serves shapes. Several threads may write the same address.
    struct served_code {
        std::atomic<function> code{nullptr};
        baked_answer answer{};
    };
    /// The timed calls with one answer. Several threads may lose some.
    struct answer_times {
        std::atomic<std::uint64_t> mask{0};   ///< a thread times calls without these bits
        std::atomic<std::uint64_t> calls{0};  ///< all calls that the timed ones represent
        std::atomic<std::uint64_t> all_ns{0}; ///< nanoseconds in these
    };
    /// Measures its own lifetime. Computes in whole numbers, because the program may trap real
    /// ones.
    class timed_call {
    public:
        ATTUNE_ALWAYS_INLINE timed_call(baked_machine& machine, std::size_t answer) noexcept
            : machine_(machine)
            , answer_(answer)
            , begun_ns_(machine.now_ns_())
        {
        }
        ATTUNE_ALWAYS_INLINE ~timed_call()
        {
            machine_.took_(machine_, answer_, machine_.now_ns_() - begun_ns_);
        }
        timed_call(timed_call const&) = delete;
        timed_call& operator=(timed_call const&) = delete;

    private:
        baked_machine& machine_;
        std::size_t answer_;
        std::uint64_t begun_ns_;
    };
    /// Nanoseconds of a clock that no user sets, where there is one.
    [[nodiscard]] static std::uint64_t now_ns() noexcept
    {
        std::timespec now{};
#ifdef CLOCK_MONOTONIC
        static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &now));
#else
        static_cast<void>(std::timespec_get(&now, TIME_UTC));
#endif
        return 1'000'000'000u * static_cast<std::uint64_t>(now.tv_sec) +
               static_cast<std::uint64_t>(now.tv_nsec);
    }
    static void took(baked_machine& machine, std::size_t answer, std::uint64_t ns) noexcept
    {
        constexpr std::uint64_t largest_mask = 1'023;
        answer_times& all = machine.times_[answer];
        std::uint64_t const mask = all.mask.load(std::memory_order_relaxed);
        std::uint64_t const pause = mask + 1; // calls up to the next timed one
        all.mask.store(std::min(2 * mask + 1, largest_mask), std::memory_order_relaxed);
        all.calls.fetch_add(pause, std::memory_order_relaxed);
        all.all_ns.fetch_add(pause * ns, std::memory_order_relaxed);
    }

    /// The default has an element of `served_` for each answer.
    static constexpr std::size_t defaults = 4;

    [[nodiscard]] std::size_t builds_before(std::size_t variant) const noexcept
    {
        std::size_t out = 0;
        for (std::size_t i = 0; i < variant; ++i)
            out += table_.variants[i].builds.count;
        return out;
    }

    [[nodiscard]] static shape_choice choice_of(baked_table const& table)
    {
        shape_choice out{.any_shape = table.any_shape, .any_alignment = table.any_alignment};
        if (table.variants.count > 0) out.modulus = 1;
        for (baked_variant const& one : table.variants)
            out.modulus = one.address_modulus > out.modulus ? one.address_modulus : out.modulus;
        out.ignored = std::vector<bool>(sizeof...(Args)); // resize() is 1.8 KB of code
        out.bound = out.ignored;
        for (std::size_t const i : table.ignored)
            if (i < sizeof...(Args)) out.ignored[i] = true;
        for (std::size_t const i : table.inputs)
            if (i < sizeof...(Args)) out.bound[i] = true;
        return out;
    }
    /// The device of the same model, else of the same vendor, else the first.
    [[nodiscard]] static baked_device const& device_among(baked_table const& table) noexcept
    {
        processor_words const& mine = words_of_this_processor();
        baked_device const* best = table.devices.begin();
        int best_fit = 0;
        for (baked_device const& one : table.devices) {
            bool const is_same_vendor = std::strcmp(one.vendor, mine.vendor.data()) == 0;
            bool const is_same_model = one.family == mine.family && one.model == mine.model;
            int const fit = !is_same_vendor ? 0 : is_same_model ? 2 : 1;
            if (fit > best_fit) {
                best = &one;
                best_fit = fit;
            }
        }
        return *best;
    }

    /// The value of an input, as the tree compares it.
    [[nodiscard]] double input_at(std::size_t input, Args const&... args) const noexcept
    {
        double out = 0;
        std::size_t position = 0;
        auto const look = [&](auto const& argument) {
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(argument)>>)
                if (position == table_.inputs[input]) out = static_cast<double>(argument);
            ++position;
        };
        (look(args), ...);
        return out;
    }

    [[nodiscard]] choice choose(key const& words, Args const&... args) const
    {
        return choose_among(
            device_, [&](baked_build const& build) { return runs(level_, build.level); }, words,
            args...);
    }
    /// @param can_run_it  returns true if the instructions of a build exist
    template <class CanRun>
    [[nodiscard]] choice choose_among(baked_device const& device, CanRun const& can_run_it,
                                      key const& words, Args const&... args) const
    {
        std::size_t const inputs = table_.inputs.count;
        std::int32_t const at = choice_in(device.tree.begin(), [&](std::size_t input) {
            if (input < inputs) return input_at(input, args...);
            bool const has_word = input - inputs < words.size(); // none in another layout
            return has_word ? static_cast<double>(words[input - inputs]) : 0.0;
        });
        if (at == baked_node::none)
            return {.why = "nothing faster was found", .answer = baked_answer::not_faster};
        auto const place = static_cast<std::size_t>(at);
        baked_variant const& variant = table_.variants[place];
        bool can_run = false;
        if (place < properties_.size()) {
            for (baked_build const& build : variant.builds) {
                if (!can_run_it(build)) continue;
                can_run = true;
                if (is_proven(build, properties_[place], words))
                    return {.variant = &variant, .build = &build};
            }
            if (!can_run && variant.builds.count > 0)
                return {.why = "the variant needs instructions that this processor does not have",
                        .answer = baked_answer::unsupported};
        }
        return {.why = "no shape like this one was verified", .answer = baked_answer::unverified};
    }

    [[nodiscard]] static bool is_proven(baked_build const& build, shape_properties const& counted,
                                        key const& words)
    {
        if (build.proof == baked_proof::prediction) return true;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (is_size(counted.layout()[i].part) && words[i] > build.largest[i]) return false;
        bool is_within = true;
        if (build.products.count > 0)
            counted.for_each_product(words, [&](std::size_t place, double product) {
                is_within = is_within && product <= build.products[place];
            });
        if (!is_within) return false;
        return counted.all_of(words, [&](std::uint64_t property) {
            return std::binary_search(build.proven.begin(), build.proven.end(), property);
        });
    }

    static served_code const* obtain(baked_machine& machine, key const& words, Args const&... args)
    {
        if (served_code const* const late = machine.known_.find_late(words)) return late;
        choice const found = machine.choose(words, args...);
        baked_code const code =
            found.variant != nullptr ? found.build->address() : machine.table_.fallback();
        served_code& served = machine.served_[machine.place_of(found)];
        served.code.store(reinterpret_cast<function>(code), std::memory_order_relaxed);
        machine.known_.keep(words, &served);
        return &served;
    }
    /// Index of the code in `served_`.
    [[nodiscard]] std::size_t place_of(choice const& of) const noexcept
    {
        if (of.variant == nullptr) return static_cast<std::size_t>(of.answer);
        auto const variant = static_cast<std::size_t>(of.variant - table_.variants.begin());
        return defaults + builds_before(variant) +
               static_cast<std::size_t>(of.build - of.variant->builds.begin());
    }
    static baked_coverage coverage_of(baked_machine const& machine)
    {
        auto const count = [&](baked_answer one) {
            return machine.counted_.sum(static_cast<std::size_t>(one));
        };
        auto const seconds = [&](baked_answer one) {
            answer_times const& all = machine.times_[static_cast<std::size_t>(one)];
            auto const timed = static_cast<double>(all.calls.load());
            double const one_s = timed > 0 ? 1e-9 * static_cast<double>(all.all_ns) / timed : 0;
            return one_s * static_cast<double>(count(one));
        };
        return {.by_variant = count(baked_answer::variant),
                .not_faster = count(baked_answer::not_faster),
                .unverified = count(baked_answer::unverified),
                .unsupported = count(baked_answer::unsupported),
                .by_variant_s = seconds(baked_answer::variant),
                .not_faster_s = seconds(baked_answer::not_faster),
                .unverified_s = seconds(baked_answer::unverified),
                .unsupported_s = seconds(baked_answer::unsupported)};
    }
    static baked_choice explain_call(baked_machine const& machine, Args const&... args)
    {
        choice const found = machine.choose(machine.shape_of_(args...), args...);
        baked_choice out{.configuration = machine.table_.configuration,
                         .instructions = instruction_level_names[0],
                         .why = found.why};
        if (found.variant == nullptr) return out;
        out.configuration = found.variant->configuration;
        out.instructions = instruction_level_names[static_cast<std::size_t>(found.build->level)];
        out.is_default = false;
        out.proof = baked_proof_names[static_cast<std::size_t>(found.build->proof)];
        return out;
    }

    // The program's files read it, so it has no type that changes with their macros, such as
    // std::vector.
    shape shape_of_;
    code_by_shape<shape::size, served_code const*> known_{};
    call_counters<8> counted_{}; ///< calls, by baked_answer
    std::array<answer_times, defaults> times_{};
    std::uint64_t (*now_ns_)() noexcept = &now_ns;
    void (*took_)(baked_machine&, std::size_t answer, std::uint64_t ns) noexcept = &took;
    served_code const* (*obtain_)(baked_machine&, key const&, Args const&...) = &obtain;
    baked_choice (*explain_)(baked_machine const&, Args const&...) = &explain_call;
    baked_coverage (*coverage_)(baked_machine const&) = &coverage_of;
    // Null for a kernel of a processor. See device_machine.hpp.
    void (*launch_)(baked_machine&, void* stream, key const&, Args const&...) = nullptr;
    launch_status (*try_launch_)(baked_machine&, void* stream, key const&,
                                 Args const&...) = nullptr;
    // The program's files do not read the members below.
    baked_table const& table_;
    instruction_level most_;
    instruction_level level_;
    baked_device const& device_;
    std::unique_ptr<served_code[]> served_;      ///< first the default by answer, then each build
    std::vector<shape_properties> properties_{}; ///< by variant; empty: another layout
};

/// The machines of a signature made so far.
/// @tparam Machine  a baked_machine<Signature>, or derived from it
template <class Signature, class Machine = baked_machine<Signature>>
class baked_machines {
public:
    constexpr baked_machines() = default;

    /// The first call makes the machine. Two threads at the same time make two, which does no harm.
    [[nodiscard]] baked_machine<Signature>* of(baked_table const& table,
                                               instruction_level most) noexcept
    {
        auto* one = newest_.load(std::memory_order_acquire);
        while (one != nullptr && !one->is_for(table, most))
            one = one->older;
        if (one != nullptr) return one;
        one = new Machine(table, most);
        one->older = newest_.load(std::memory_order_relaxed);
        while (!newest_.compare_exchange_weak(one->older, one, std::memory_order_acq_rel)) {
        }
        return one;
    }

private:
    std::atomic<baked_machine<Signature>*> newest_{nullptr};
};

/// For tables without a machine, as the first 0.4 wrote them.
template <class Signature>
[[nodiscard]] void* made_baked_machine(baked_table const& table, instruction_level most) noexcept
{
    static constinit baked_machines<Signature> all;
    return all.of(table, most);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
