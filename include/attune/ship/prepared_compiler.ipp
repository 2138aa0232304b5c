// attune/ship/prepared_compiler.ipp - looks for a file of each instruction set, from the highest down.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/called_code.hpp>
#include <attune/compile/system/code_size.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/instruction_level.hpp>
#include <attune/ship/prepare/prepared_code.hpp>
#include <attune/ship/prepared_compiler.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE prepared_compiler::prepared_compiler(std::string folder, std::string_view most)
    : folder_(std::move(folder))
    , level_(static_cast<std::size_t>(std::min(detail::level_of(detail::words_of_this_processor()),
                                               detail::instruction_level_up_to(most))))
{
}

ATTUNE_INLINE std::string prepared_compiler::made_by() const
{
    std::string const machine = detail::machine_of_program();
    std::optional<std::string> by =
        detail::bytes_of_file(folder_ + '/' + detail::prepared_by_name(machine));
    if (!by)
        throw error("nothing was prepared for processors such as this one (" + machine + ')',
                    folder_,
                    "attune prepare STORE KERNEL_FILE -o FOLDER, with a compiler for them");
    return by->substr(0, by->find('\n'));
}

ATTUNE_INLINE std::string prepared_compiler::identity() const
{
    return "prepared for " + detail::machine_of_program() + ' ' +
           std::string(detail::instruction_level_names[level_]) + " by " + made_by();
}

ATTUNE_INLINE compile_result prepared_compiler::compile(kernel_source const& kernel,
                                                        compile_request const& v) const
{
    std::string const by = identity();
    std::string const key = detail::prepared_key(kernel, v);
    for (std::size_t level = level_ + 1; level-- > 0;) {
        auto const bytes =
            detail::bytes_of_file(folder_ + '/' +
                                  detail::prepared_name(key, detail::machine_of_program(),
                                                        detail::instruction_level_names[level]));
        if (!bytes) continue;
        std::string problem;
        detail::shared_code loaded = detail::load_shared_code(*bytes, problem);
        if (loaded.code == nullptr)
            return failure{failure_stage::load, problem.substr(0, problem.find('\n')), {}};
        callable out;
        out.address = reinterpret_cast<void* (*)()>(loaded.address)();
        out.code = std::move(loaded.code);
        out.object_key = detail::key_with_callees(detail::object_key(*bytes),
                                                  detail::outside_names(*bytes), {}, loaded.handle);
        out.size = detail::size_of_code(*bytes);
        out.compiler = by;
        out.from_cache = true;
        return out;
    }
    return failure{failure_stage::compile,
                   "this configuration is not prepared in " + folder_ +
                       "; attune prepare compiles the winners of a store",
                   {}};
}

} // namespace attune::inline ATTUNE_ABI
