// attune/measure/message/message_values.ipp - CBOR by nlohmann-json.
// SPDX-License-Identifier: MIT
//
// Structured bindings name all members: a new member without code here does not compile.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct message_writer::state {
    nlohmann::json values = nlohmann::json::array();
};

ATTUNE_INLINE message_writer::message_writer()
    : state_(std::make_unique<state>())
{
}
ATTUNE_INLINE message_writer::~message_writer() = default;

ATTUNE_INLINE void message_writer::put_flag(bool value) { state_->values.push_back(value); }
ATTUNE_INLINE void message_writer::put_number(double value) { state_->values.push_back(value); }
ATTUNE_INLINE void message_writer::put_signed(std::int64_t value)
{
    state_->values.push_back(value);
}
ATTUNE_INLINE void message_writer::put_unsigned(std::uint64_t value)
{
    state_->values.push_back(value);
}

ATTUNE_INLINE void message_writer::put_text(std::string_view value)
{
    // Not a CBOR text string: a variant's output may not be UTF-8.
    state_->values.push_back(
        nlohmann::json::binary(std::vector<std::uint8_t>(value.begin(), value.end())));
}

ATTUNE_INLINE std::string message_writer::take()
{
    std::string out;
    nlohmann::json::to_cbor(std::exchange(state_->values, nlohmann::json::array()), out);
    return out;
}

/// Returns true for an array of values without nested arrays and with correct lengths.
/// nlohmann-json recurses for each nesting level, so a message of brackets alone would overflow the
/// stack.
[[nodiscard]] inline bool is_flat_array(std::string_view text) noexcept
{
    std::size_t at = 0;
    unsigned kind = 0;
    std::uint64_t length = 0;
    auto const take_head = [&] {
        if (at == text.size()) return false;
        auto const first = static_cast<unsigned char>(text[at++]);
        kind = first >> 5U;
        length = first & 31U;
        if (length < 24) return true;
        if (length > 27) return false;
        std::size_t const bytes = std::size_t{1} << (length - 24);
        if (bytes > text.size() - at) return false;
        length = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            length = length << 8U | static_cast<unsigned char>(text[at++]);
        return true;
    };
    if (!take_head() || kind != 4) return false;
    for (std::uint64_t left = length; left > 0; --left) {
        if (!take_head() || (kind > 2 && kind != 7)) return false;
        if (kind != 2) continue;
        if (length > text.size() - at) return false;
        at += static_cast<std::size_t>(length);
    }
    return at == text.size();
}

struct message_reader::state {
    nlohmann::json values = nlohmann::json::array();
    std::size_t next = 0;

    [[nodiscard]] nlohmann::json& take()
    {
        if (next == values.size()) throw damaged_message();
        return values[next++];
    }
};

ATTUNE_INLINE message_reader::message_reader(std::string_view text)
    : state_(std::make_unique<state>())
{
    if (!is_flat_array(text)) return;
    nlohmann::json parsed = nlohmann::json::from_cbor(text, true, false);
    if (parsed.is_array()) state_->values = std::move(parsed);
}
ATTUNE_INLINE message_reader::~message_reader() = default;

ATTUNE_INLINE bool message_reader::get_flag()
{
    nlohmann::json const& value = state_->take();
    if (!value.is_boolean()) throw damaged_message();
    return value.get<bool>();
}

ATTUNE_INLINE double message_reader::get_any_number()
{
    nlohmann::json const& value = state_->take();
    if (!value.is_number_float()) throw damaged_message();
    return value.get<double>();
}

ATTUNE_INLINE std::int64_t message_reader::get_signed()
{
    nlohmann::json const& value = state_->take();
    if (!value.is_number_integer()) throw damaged_message();
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() >
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw damaged_message();
    return value.get<std::int64_t>();
}

ATTUNE_INLINE std::uint64_t message_reader::get_unsigned()
{
    nlohmann::json const& value = state_->take();
    if (!value.is_number_unsigned()) throw damaged_message();
    return value.get<std::uint64_t>();
}

ATTUNE_INLINE std::string message_reader::get_text()
{
    nlohmann::json const& value = state_->take();
    if (!value.is_binary()) throw damaged_message();
    auto const& bytes = value.get_binary();
    return {bytes.begin(), bytes.end()};
}

ATTUNE_INLINE std::size_t message_reader::get_count()
{
    auto const count = get<std::size_t>();
    if (count > state_->values.size() - state_->next) throw damaged_message();
    return count;
}

ATTUNE_INLINE bool message_reader::is_at_end() const noexcept
{
    return state_->next == state_->values.size();
}

ATTUNE_INLINE void put_failure(message_writer& to, failure const& what)
{
    auto const& [stage, reason, log] = what;
    to.put(stage);
    to.put_text(reason);
    to.put_text(log);
}

ATTUNE_INLINE failure get_failure(message_reader& from)
{
    failure out;
    out.stage = from.get<failure_stage>();
    if (static_cast<std::size_t>(out.stage) >= failure_stage_count) throw damaged_message();
    out.reason = from.get_text();
    out.log = from.get_text();
    return out;
}

ATTUNE_INLINE void put_measurement(message_writer& to, measurement const& what)
{
    auto const& [value, low, high, samples] = what;
    to.put(std::array{value, low, high});
    to.put(samples);
}

ATTUNE_INLINE measurement get_measurement(message_reader& from)
{
    measurement out;
    auto& [value, low, high, samples] = out;
    for (double* const one : {&value, &low, &high})
        *one = from.get<double>();
    samples = from.get<std::uint32_t>();
    return out;
}

ATTUNE_INLINE void put_outcome(message_writer& to, outcome const& what)
{
    to.put(what.index());
    if (auto const* const measured = std::get_if<measurement>(&what))
        put_measurement(to, *measured);
    else
        put_failure(to, std::get<failure>(what));
}

ATTUNE_INLINE outcome get_outcome(message_reader& from)
{
    switch (from.get<std::size_t>()) {
    case 0:
        return get_measurement(from);
    case 1:
        return get_failure(from);
    default:
        throw damaged_message();
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
