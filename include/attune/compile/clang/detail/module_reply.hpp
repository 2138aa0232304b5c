// attune/compile/clang/detail/module_reply.hpp - replies of the Clang module as values of attune.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/module_session.hpp>
#include <attune/compile/detail/load_failure.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/system/code_size.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::vector<char const*> c_strings(std::vector<std::string> const& texts)
{
    std::vector<char const*> pointers;
    for (std::string const& text : texts)
        pointers.push_back(text.c_str());
    return pointers;
}

using clang_reply = std::unique_ptr<attune_clang_reply, void (*)(attune_clang_reply*)>;

/// The callable or the failure in a reply.
[[nodiscard]] inline compile_result code_of(std::shared_ptr<clang_session const> const& session,
                                            attune_clang_reply const& reply,
                                            std::string_view object)
{
    if (reply.stage == 1) return compile_failure(reply.log, session->functions->major);
    if (reply.stage != 0) return load_failure(reply.log);
    callable made;
    made.address = reply.address;
    made.code = std::shared_ptr<void const>(reply.code, [session](void const* code) {
        if (program_is_ending()) return; // another thread may run the code; LLVM may be gone
        session->functions->release_code(session->session, const_cast<void*>(code));
    });
    made.object_key = object_key(object);
    made.size = size_of_code(object);
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail
