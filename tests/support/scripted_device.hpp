// tests/support/scripted_device.hpp - a compiler for a device that makes nothing but its resources.
// SPDX-License-Identifier: MIT
//
// A script turns a variant into what its code would take of the device, or into a failure. Copies
// share their counts. Without a driver in its target nothing can be launched.
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/cuda/code.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune_test {

/// One machine for all who ask: compute capability 9.0, 132 multiprocessors.
inline attune::cuda_target target_without_driver()
{
    attune::cuda_target out;
    out.limits = attune::detail::limits_of_architecture(90);
    out.limits.multiprocessors = 132;
    out.why_no_device = "libcuda.so.1 cannot be opened";
    return out;
}

/// The value of a macro.
inline int value_of(attune::compile_request const& v, std::string const& name)
{
    for (attune::macro_definition const& m : v.macros)
        if (m.name == name) return std::stoi(m.value);
    return -1;
}

class scripted_device_compiler {
public:
    using answer = std::variant<attune::code_resources, attune::failure>;
    using script = std::function<answer(attune::compile_request const&)>;

    explicit scripted_device_compiler(script from,
                                      attune::cuda_target target = target_without_driver())
        : state_(std::make_shared<state>())
    {
        state_->from = std::move(from);
        state_->target = std::move(target);
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
        auto made = std::make_shared<attune::device_variant>();
        made->code = {macros, v.function, state_->target.limits.architecture,
                      std::get<attune::code_resources>(given)};
        made->launch = v.launch;
        return attune::callable{made.get(), made, macros + text_of(v.launch), 0.001, identity()};
    }
    static std::string identity() { return "scripted device 1"; }
    attune::cuda_target const& target() const { return state_->target; }

    /// The macros of every call of compile(), in order.
    std::vector<std::string> compiled() const
    {
        std::scoped_lock const one(state_->lock);
        return state_->compiled;
    }

private:
    struct state {
        script from;
        attune::cuda_target target;
        std::vector<std::string> compiled;
        mutable std::mutex lock;
    };
    std::shared_ptr<state> state_;
};

} // namespace attune_test
