// tests/support/scripted_compiler.hpp - a compiler that hands out functions of this program.
// SPDX-License-Identifier: MIT
//
// A script turns the macros of a variant into the address of a function with the kernel's signature
// or into a failure. Copies share their counts, so that a test can look after it gave one away.
#pragma once

#include <attune/compile/compiler.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune_test {

class scripted_compiler {
public:
    using answer = std::variant<void*, attune::failure>;
    using script = std::function<answer(attune::compile_request const&)>;

    explicit scripted_compiler(script from, std::string identity = "scripted 1")
        : state_(std::make_shared<state>())
        , identity_(std::move(identity))
    {
        state_->from = std::move(from);
    }

    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const& v)
    {
        std::scoped_lock const one(state_->lock);
        std::string macros;
        for (attune::macro_definition const& m : v.macros)
            macros += (macros.empty() ? "" : " ") + m.name + '=' + m.value;
        state_->compiled.push_back(macros);
        answer const given = state_->from(v);
        if (auto const* why = std::get_if<attune::failure>(&given)) return *why;
        void* const address = std::get<void*>(given);
        // Equal code has an equal key, as with a real compiler.
        std::string const key = std::to_string(reinterpret_cast<std::uintptr_t>(address));
        return attune::callable{address, std::make_shared<int>(0), key, 0.001, identity_};
    }
    std::string identity() const { return identity_; }
    std::string notice() const { return state_->said; }

    /// The macros of every call of compile(), in order: "WAY=0".
    std::vector<std::string> compiled() const
    {
        std::scoped_lock const one(state_->lock);
        return state_->compiled;
    }
    void say(std::string text) const { state_->said = std::move(text); }

private:
    struct state {
        script from;
        std::vector<std::string> compiled;
        std::string said;
        mutable std::mutex lock;
    };
    std::shared_ptr<state> state_;
    std::string identity_;
};

} // namespace attune_test
