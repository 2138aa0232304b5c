// attune/tune/tuned.hpp - a kernel that tunes itself at its first call, and remembers.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a kernel, a compiler, a store, options
// Out      a callable with the kernel's own signature
// Source   own
// Depends  std only; Boost.Hana through pack.hpp
// Tests    tests/tune/tuned.cpp
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/installed.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/options.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace attune {

template <class Signature, class Compiler, class Store = memory_store>
class tuned;

/// Calls the best known variant of a kernel. The first call for a set of inputs looks into the
/// store and, if nothing matches, tunes; afterwards a call costs a load and a comparison per input
/// over the plain function pointer. May be called from several threads: one tunes, the others wait.
///
/// The caller's data is what one call of the installed variant makes of it, also when that call
/// tuned. It must not change or go away while the call tunes.
///
/// Errors   attune::error at a call: no compiler, a default configuration that does not work, an
///          empty space, parameters that kernel file and declaration do not both name
/// Example  attune::tuned sgemm{kernel, attune::clang_compiler{}, attune::store{"sgemm.attune"}};
///          sgemm(a, b, c, n);
template <class... Args, class Compiler, class Store>
class tuned<void(Args...), Compiler, Store> {
public:
    tuned(kernel<void(Args...)> const& k,
          Compiler compiler,
          Store store = Store{},
          tuning_options options = {})
        : self_(std::make_unique<parts>(k.describe(), std::move(compiler), std::move(store)))
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
        if constexpr (compiles && remembers)
            self_->known.emplace(k.describe(),
                                 make_any_compiler(self_->compiler),
                                 make_any_store(self_->store),
                                 std::move(options));
    }

    /// One call of the kernel on these arguments.
    void operator()(Args... args)
    {
        installed_variant const* const ready = find(args...);
        reinterpret_cast<void (*)(Args...)>(ready ? ready->code.address : tune(args...))(args...);
    }

    /// How the variant in use for the latest new inputs came about.
    [[nodiscard]] tuning_report report() const { return self_->known->report(); }

private:
    struct parts {
        parts(kernel_description const& k, Compiler c, Store s)
            : kernel(k)
            , compiler(std::move(c))
            , store(std::move(s))
        {
        }
        kernel_description kernel;
        Compiler compiler;
        Store store;
        std::optional<installed_variants> known{};
    };

    [[nodiscard]] installed_variant const* find(Args const&... args) const
    {
        for (installed_variant const* v = self_->known->first(); v != nullptr; v = v->next) {
            bool same = true;
            for (std::size_t i = 0; i < v->inputs.size() && same; ++i)
                same = v->inputs[i] ==
                       detail::number_of_argument(self_->kernel.inputs[i].position, args...);
            if (same) return v;
        }
        return nullptr;
    }

    [[nodiscard]] void* tune(Args const&... args)
    {
        std::vector<number> inputs;
        for (input_argument const& input : self_->kernel.inputs)
            inputs.push_back(detail::number_of_argument(input.position, args...));
        return self_->known->obtain(inputs,
                                    make_call_frame<Args...>(self_->kernel.tolerances, args...));
    }

    std::unique_ptr<parts> self_;
};

template <class Signature, class Compiler, class... Rest>
tuned(kernel<Signature> const&, Compiler, Rest...) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store) -> tuned<Signature, Compiler, Store>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store, tuning_options)
    -> tuned<Signature, Compiler, Store>;

} // namespace attune
