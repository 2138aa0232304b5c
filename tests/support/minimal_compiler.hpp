// tests/support/minimal_compiler.hpp - a model of attune::compiler that promises nothing more.
// SPDX-License-Identifier: MIT
//
// It "compiles" the one kernel of the laws, by reading FACTOR and handing out a function that is in
// this program already. Move-only, so that nothing comes to rely on copying a compiler.
#pragma once

#include <attune/compile/compiler.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace attune_test {

template <int Factor>
double scaled_sum(double const* x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += Factor * x[i];
    return sum;
}

class minimal_compiler {
public:
    minimal_compiler() = default;
    minimal_compiler(minimal_compiler&&) = default;
    minimal_compiler& operator=(minimal_compiler&&) = default;

    attune::compile_result compile(attune::kernel_source const& kernel,
                                   attune::compile_request const& v)
    {
        if (kernel.text.find("= ;") != std::string::npos) {
            std::string const line = kernel.path + ":3: error: expected expression";
            return attune::failure{attune::failure_stage::compile, line, line + "\n"};
        }
        return made(v, std::make_index_sequence<11>());
    }
    std::string identity() const { return "minimal_compiler 1"; }

private:
    template <std::size_t... Factors>
    attune::compile_result made(attune::compile_request const& v,
                                std::index_sequence<Factors...>) const
    {
        std::array<double (*)(double const*, int), sizeof...(Factors)> const codes{
            scaled_sum<static_cast<int>(Factors)>...};
        std::string const factor = v.macros.empty() ? "none" : v.macros.front().value;
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (factor == std::to_string(i))
                return attune::callable{reinterpret_cast<void*>(codes[i]), std::make_shared<int>(0),
                                        "factor " + factor, 0.0, identity()};
        return attune::failure{attune::failure_stage::compile, "FACTOR is not 0..10", {}};
    }
};

} // namespace attune_test
