// x modulo pi/2, for arguments as large as f32's.
#pragma once

namespace bitpact {

struct Reduced {
  int quarters = 0;  ///< of a turn, modulo 4
  double rest = 0;   ///< |rest| <= pi/4 (and a rounding); x = quarters * pi/2 + rest, modulo 2 pi
};
/// x has at most 24 significant bits, |x| < 2^128. Relative error of `rest` below 2^-50.
Reduced reduce_by_half_pi(double x);

}  // namespace bitpact
