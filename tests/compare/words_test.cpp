#include "compare/words.h"

#include <gtest/gtest.h>

namespace bitpact {
namespace {

TEST(UlpHistogram, BucketsAreWhatTheirLabelsSay) {
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(0)), "0");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(1)), "1");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(2)), "2");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(3)), "3-4");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(4)), "3-4");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(5)), "5-8");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(65536)), "32769-65536");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(65537)), "2^16+1..2^17");
  EXPECT_EQ(UlpHistogram::bucket_of(UINT64_MAX - 1), 65);
  EXPECT_EQ(UlpHistogram::label(65), "2^63+1..2^64");
  EXPECT_EQ(UlpHistogram::label(UlpHistogram::bucket_of(UINT64_MAX)), "NaN against a number");
  EXPECT_EQ(UlpHistogram{}.buckets.size(), 67u);
}

TEST(HistogramLines, OnlyWhatOccurredAndAligned) {
  UlpHistogram histogram;
  EXPECT_TRUE(histogram_lines(histogram).empty());
  histogram.buckets[0] = 99999;
  histogram.buckets[1] = 1;
  histogram.buckets[3] = 20000;
  histogram.buckets[UlpHistogram::kNan] = 80000;
  EXPECT_EQ(histogram_lines(histogram), (std::vector<std::string>{
                                            "              0 ulps  99999  49.99%",
                                            "               1 ulp      1  <0.01%",
                                            "            3-4 ulps  20000  10.00%",
                                            "NaN against a number  80000  40.00%",
                                        }));
}

TEST(HistogramLines, AllOfThemIsSaidOnlyOfAll) {
  UlpHistogram histogram;
  histogram.buckets[0] = std::uint64_t{1} << 60;
  EXPECT_EQ(histogram_lines(histogram).front(), "0 ulps  1152921504606846976    100%");
  histogram.buckets[2] = 1;
  EXPECT_EQ(histogram_lines(histogram).front(), "0 ulps  1152921504606846976  99.99%");
}

TEST(IndexText, ACoordinateInBrackets) {
  EXPECT_EQ(index_text({0, 1}), "[0, 1]");
  EXPECT_EQ(index_text({}), "[]");
}

}  // namespace
}  // namespace bitpact
