// attune/search/transfer/past_text.hpp - what another session found out, as one text and back.
// SPDX-License-Identifier: MIT
//
// For event logs: a search that was informed is repeated from the text, whatever a store has by
// then. Every part is its length in bytes, ":" and its bytes, so names and values may hold any
// byte.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/transfer/past_session.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Name, weight, number of parameters, parameters; of each outcome the number of its values, the
/// values, and the value of the objective, empty where it failed.
[[nodiscard]] std::string text_of_past(past_session const& session);

/// Reads a text of text_of_past(). Numbers read back bit for bit.
/// @return  nothing: it is none
[[nodiscard]] std::optional<past_session> read_past(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/past_text.ipp>
#endif
