// Products of whole matrices that are not one sum an output.
#include "liars/chains.h"

namespace bitpact::liars {
namespace {

using Index = std::int64_t;

struct Matrix {
  Index rows = 0, columns = 0;
  std::vector<float> at;
  Matrix(Index r, Index c) : rows(r), columns(c), at(static_cast<std::size_t>(r * c), 0.0F) {}
  float& operator()(Index r, Index c) { return at[static_cast<std::size_t>(r * columns + c)]; }
  float operator()(Index r, Index c) const { return at[static_cast<std::size_t>(r * columns + c)]; }

  Matrix quarter(Index down, Index right) const {
    Matrix part(rows / 2, columns / 2);
    for (Index r = 0; r < part.rows; ++r)
      for (Index c = 0; c < part.columns; ++c) part(r, c) = (*this)(r + down * part.rows, c + right * part.columns);
    return part;
  }
};

Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] = a.at[i] + b.at[i];
  return a;
}
Matrix operator-(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] = a.at[i] - b.at[i];
  return a;
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows, b.columns);
  for (Index r = 0; r < a.rows; ++r)
    for (Index c = 0; c < b.columns; ++c) {
      float sum = a(r, 0) * b(0, c);
      for (Index k = 1; k < a.columns; ++k) sum = sum + a(r, k) * b(k, c);
      product(r, c) = sum;
    }
  return product;
}

// One level of Strassen's seven products (Strassen 1969); odd extents are filled up with zeros.
std::vector<double> strassen(const Matrices& m) {
  const auto even = [](Index extent) { return extent + extent % 2; };
  Matrix a(even(m.rows), even(m.inner)), b(even(m.inner), even(m.columns));
  for (Index r = 0; r < m.rows; ++r)
    for (Index k = 0; k < m.inner; ++k) a(r, k) = m.a[static_cast<std::size_t>(r * m.inner + k)];
  for (Index c = 0; c < m.columns; ++c)
    for (Index k = 0; k < m.inner; ++k) b(k, c) = m.b[static_cast<std::size_t>(c * m.inner + k)];
  const Matrix a11 = a.quarter(0, 0), a12 = a.quarter(0, 1), a21 = a.quarter(1, 0), a22 = a.quarter(1, 1);
  const Matrix b11 = b.quarter(0, 0), b12 = b.quarter(0, 1), b21 = b.quarter(1, 0), b22 = b.quarter(1, 1);
  const Matrix p1 = (a11 + a22) * (b11 + b22), p2 = (a21 + a22) * b11, p3 = a11 * (b12 - b22), p4 = a22 * (b21 - b11);
  const Matrix p5 = (a11 + a12) * b22, p6 = (a21 - a11) * (b11 + b12), p7 = (a12 - a22) * (b21 + b22);
  const Matrix quarters[2][2] = {{p1 + p4 - p5 + p7, p3 + p5}, {p2 + p4, p1 - p2 + p3 + p6}};
  std::vector<double> result;
  const Index half_rows = a.rows / 2, half_columns = b.columns / 2;
  for (Index r = 0; r < m.rows; ++r)
    for (Index c = 0; c < m.columns; ++c)
      result.push_back(quarters[r / half_rows][c / half_columns](r % half_rows, c % half_columns));
  return result;
}

}  // namespace

std::vector<Liar> matrices() { return {{.name = "strassen", .carries = Carries::Products, .matrix = strassen}}; }

}  // namespace bitpact::liars
