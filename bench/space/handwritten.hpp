// bench/space/handwritten.hpp - what a careful programmer writes instead of a space: loop nests.
// SPDX-License-Identifier: MIT
//
// One nest per space: constraints as far out as they go, the order of the loops chosen by hand, the
// values read from the file (so that the compiler does not know them), every valid configuration
// written to memory, one byte for the index of each value.
#pragma once

#include <attune/declare/description.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct indexed_value {
    std::uint8_t index;
    std::int32_t value;
};
using values = std::vector<indexed_value>;

/// Rows of `Width` bytes in one block that grows.
template <std::size_t Width>
class rows {
public:
    rows() = default;
    rows(rows const&) = delete;
    rows& operator=(rows const&) = delete;
    ~rows() { std::free(data_); }

    template <class... Index>
    void add(Index... index)
    {
        static_assert(sizeof...(Index) == Width);
        if (count_ == capacity_) grow();
        std::uint8_t const row[Width] = {index.index...};
        std::memcpy(data_ + count_++ * Width, row, Width);
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    void grow()
    {
        capacity_ = capacity_ == 0 ? 1024 : 2 * capacity_;
        void* const grown = std::realloc(data_, capacity_ * Width);
        if (grown == nullptr) throw std::bad_alloc();
        data_ = static_cast<std::uint8_t*>(grown);
    }
    std::uint8_t* data_ = nullptr;
    std::size_t count_ = 0;
    std::size_t capacity_ = 0;
};

/// The values of parameters by name; complete() is false when one is missing or is too long.
class tables {
public:
    explicit tables(attune::description const& space)
        : space_(space)
    {
    }
    [[nodiscard]] values of(std::string_view name)
    {
        std::uint32_t const i = space_.find_parameter(name);
        values out;
        if (i == attune::no_index || space_.parameters[i].integers.size() > 256) {
            complete_ = false;
            return out;
        }
        for (std::int64_t const v : space_.parameters[i].integers)
            out.push_back({static_cast<std::uint8_t>(out.size()), static_cast<std::int32_t>(v)});
        complete_ = complete_ && !out.empty();
        return out;
    }
    [[nodiscard]] bool complete() const noexcept { return complete_; }

private:
    attune::description const& space_;
    bool complete_ = true;
};

inline std::size_t gemm_nest(tables& t)
{
    values const MWG = t.of("MWG"), NWG = t.of("NWG"), KWG = t.of("KWG"), MDIMC = t.of("MDIMC"),
                 NDIMC = t.of("NDIMC"), MDIMA = t.of("MDIMA"), NDIMB = t.of("NDIMB"),
                 KWI = t.of("KWI"), VWM = t.of("VWM"), VWN = t.of("VWN"), STRM = t.of("STRM"),
                 STRN = t.of("STRN"), SA = t.of("SA"), SB = t.of("SB");
    rows<14> out;
    if (!t.complete()) return 0;
    for (auto const mwg : MWG)
        for (auto const mdimc : MDIMC)
            for (auto const vwm : VWM) {
                if (mwg.value % (mdimc.value * vwm.value) != 0) continue;
                for (auto const mdima : MDIMA) {
                    if (mwg.value % (mdima.value * vwm.value) != 0) continue;
                    for (auto const kwi : KWI)
                        for (auto const kwg : KWG) {
                            if (kwg.value % kwi.value != 0) continue;
                            for (auto const ndimc : NDIMC) {
                                int const threads = mdimc.value * ndimc.value;
                                if (kwg.value % (threads / mdima.value) != 0) continue;
                                for (auto const ndimb : NDIMB) {
                                    if (kwg.value % (threads / ndimb.value) != 0) continue;
                                    for (auto const nwg : NWG) {
                                        if (mwg.value == 128 && nwg.value == 128 &&
                                            mdimc.value == 8 && ndimc.value == 8)
                                            continue;
                                        for (auto const vwn : VWN) {
                                            if (nwg.value % (ndimc.value * vwn.value) != 0 ||
                                                nwg.value % (ndimb.value * vwn.value) != 0)
                                                continue;
                                            for (auto const strm : STRM)
                                                for (auto const strn : STRN)
                                                    for (auto const sa : SA)
                                                        for (auto const sb : SB)
                                                            out.add(mwg, nwg, kwg, mdimc, ndimc,
                                                                    mdima, ndimb, kwi, vwm, vwn,
                                                                    strm, strn, sa, sb);
                                        }
                                    }
                                }
                            }
                        }
                }
            }
    return out.count();
}

inline std::size_t hotspot_nest(tables& t)
{
    values const BX = t.of("block_size_x"), BY = t.of("block_size_y"), TX = t.of("tile_size_x"),
                 TY = t.of("tile_size_y"), TT = t.of("temporal_tiling_factor"),
                 UNROLL = t.of("loop_unroll_factor_t"), SH = t.of("sh_power"),
                 PER_SM = t.of("blocks_per_sm");
    rows<8> out;
    if (!t.complete()) return 0;
    for (auto const bx : BX)
        for (auto const by : BY) {
            int const threads = bx.value * by.value;
            if (threads < 32 || threads > 1024) continue;
            for (auto const tt : TT)
                for (auto const tx : TX)
                    for (auto const ty : TY) {
                        int const area = (bx.value * tx.value + 2 * tt.value) *
                                         (by.value * ty.value + 2 * tt.value);
                        for (auto const sh : SH) {
                            int const bytes = area * (2 + sh.value) * 4;
                            if (bytes > 49152) continue;
                            for (auto const per_sm : PER_SM) {
                                if (per_sm.value != 0 && bytes * per_sm.value > 102400) continue;
                                for (auto const unroll : UNROLL)
                                    if (tt.value % unroll.value == 0)
                                        out.add(bx, by, tx, ty, tt, unroll, sh, per_sm);
                            }
                        }
                    }
        }
    return out.count();
}

inline std::size_t expdist_nest(tables& t)
{
    values const BX = t.of("block_size_x"), BY = t.of("block_size_y"), TX = t.of("tile_size_x"),
                 TY = t.of("tile_size_y"), SHARED = t.of("use_shared_mem"),
                 UX = t.of("loop_unroll_factor_x"), UY = t.of("loop_unroll_factor_y"),
                 COLUMN = t.of("use_column"), BLOCKS = t.of("n_y_blocks");
    rows<9> out;
    if (!t.complete()) return 0;
    for (auto const column : COLUMN)
        for (auto const shared : SHARED) {
            if (column.value == 0 && shared.value == 2) continue;
            for (auto const blocks : BLOCKS) {
                if (column.value == 0 && blocks.value > 1) continue;
                for (auto const bx : BX)
                    for (auto const by : BY) {
                        if (bx.value * by.value > 1024) continue;
                        for (auto const tx : TX)
                            for (auto const ux : UX) {
                                if (ux.value > tx.value || tx.value % ux.value != 0) continue;
                                for (auto const ty : TY)
                                    for (auto const uy : UY)
                                        if (uy.value <= ty.value && ty.value % uy.value == 0)
                                            out.add(bx, by, tx, ty, shared, ux, uy, column, blocks);
                            }
                    }
            }
        }
    return out.count();
}

inline std::size_t prl_nest(tables& t)
{
    values const CL = t.of("CACHE_L_CB"), CP = t.of("CACHE_P_CB"), G = t.of("G_CB_RES_DEST_LEVEL"),
                 L = t.of("L_CB_RES_DEST_LEVEL"), P = t.of("P_CB_RES_DEST_LEVEL"),
                 INL = t.of("INPUT_SIZE_L_1"), LL = t.of("L_CB_SIZE_L_1"),
                 PL = t.of("P_CB_SIZE_L_1"), DL = t.of("OCL_DIM_L_1"), WGL = t.of("NUM_WG_L_1"),
                 WIL = t.of("NUM_WI_L_1"), INR = t.of("INPUT_SIZE_R_1"), LR = t.of("L_CB_SIZE_R_1"),
                 PR = t.of("P_CB_SIZE_R_1"), DR = t.of("OCL_DIM_R_1"), WGR = t.of("NUM_WG_R_1"),
                 WIR = t.of("NUM_WI_R_1");
    rows<14> out;
    if (!t.complete() || INL.size() != 1 || INR.size() != 1 || G.size() != 1) return 0;
    int const in_l = INL[0].value;
    int const in_r = INR[0].value;
    for (auto const l : L) {
        if (l.value > G[0].value) continue;
        for (auto const p : P) {
            if (p.value > l.value) continue;
            for (auto const dl : DL)
                for (auto const dr : DR) {
                    if (dl.value == dr.value) continue;
                    for (auto const ll : LL) {
                        if (in_l % ll.value != 0) continue;
                        for (auto const pl : PL) {
                            if (ll.value % pl.value != 0) continue;
                            for (auto const wgl : WGL) {
                                if (in_l / ll.value % wgl.value != 0) continue;
                                for (auto const wil : WIL) {
                                    if (ll.value / pl.value % wil.value != 0) continue;
                                    // n <= a - 1.0 / w, in whole numbers: w (a - n) >= 1
                                    if (wgl.value * (in_l + wgl.value - wil.value) < 1) continue;
                                    for (auto const lr : LR) {
                                        if (in_r % lr.value != 0) continue;
                                        for (auto const pr : PR) {
                                            if (lr.value % pr.value != 0) continue;
                                            for (auto const wgr : WGR) {
                                                if (in_r / lr.value % wgr.value != 0 ||
                                                    (wgr.value != 1 && wgr.value % lr.value != 0))
                                                    continue;
                                                for (auto const wir : WIR) {
                                                    if (lr.value / pr.value % wir.value != 0 ||
                                                        wgr.value * (in_r + wgr.value - wir.value) <
                                                            1)
                                                        continue;
                                                    for (auto const cl : CL)
                                                        for (auto const cp : CP)
                                                            out.add(cl, cp, l, p, ll, pl, dl, wgl,
                                                                    wil, lr, pr, dr, wgr, wir);
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
        }
    }
    return out.count();
}

} // namespace bench
