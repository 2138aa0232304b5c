// attune/compile/nvrtc.ipp - the members of nvrtc_compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/detail/session.hpp>
#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE nvrtc_compiler::nvrtc_compiler(nvrtc_options options)
    : session_(std::make_shared<detail::nvrtc_session>(std::move(options)))
{
}

ATTUNE_INLINE compile_result nvrtc_compiler::compile(kernel_source const& kernel,
                                                     compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->compile(kernel, v);
}

ATTUNE_INLINE std::string nvrtc_compiler::identity() const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->identity;
}

ATTUNE_INLINE cuda_target const& nvrtc_compiler::target() const
{
    detail::own_float_environment const numbers;
    session_->find_device();
    return session_->target;
}

ATTUNE_INLINE std::string nvrtc_compiler::notice() const
{
    detail::own_float_environment const numbers;
    session_->open();
    std::string text;
    if (!session_->target.can_run())
        text = "compiles for " + detail::architecture_name(session_->target.limits.architecture) +
               " and runs nothing: " + session_->target.why_no_device;
    if (session_->options.precompile_headers && !session_->library->has_precompiled_headers())
        text += (text.empty() ? "" : "; ") + ("NVRTC " + session_->library->version()) +
                " parses the headers for every variant, 12.8 and later do it once";
    return text;
}

ATTUNE_INLINE std::string nvrtc_compiler::missing() const
{
    detail::own_float_environment const numbers;
    std::string text;
    try {
        session_->open();
        if (!session_->target.can_run()) text = session_->target.why_no_device;
    } catch (error const& thrown) {
        text = thrown.what_alone();
        if (!thrown.next().empty()) text += "; " + thrown.next();
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

ATTUNE_INLINE std::optional<callable> nvrtc_compiler::find_winner(kernel_source const& kernel,
                                                                  compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    std::optional<compile_result> found = session_->kept(kernel, v, false);
    if (!found || !std::holds_alternative<callable>(*found)) return {};
    return std::get<callable>(std::move(*found));
}

ATTUNE_INLINE bool nvrtc_compiler::keep_winner(kernel_source const& kernel,
                                               compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->cache.look(session_->key_of(kernel, v)).has_value();
}

ATTUNE_INLINE cache_statistics nvrtc_compiler::statistics() const
{
    return session_->cache.statistics();
}

ATTUNE_INLINE header_statistics nvrtc_compiler::headers() const
{
    return session_->headers.counts();
}

} // namespace attune::inline ATTUNE_ABI
