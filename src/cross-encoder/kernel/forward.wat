;; The operations of the reader's forward pass. Addresses and strides are in bytes, sizes in elements; `hidden`, depths and
;; rows of matrices are multiples of 8. Tokens are worked on in tiles of four: buffers have room for a whole last tile, whose
;; surplus rows hold anything finite.
;;
;; Every result is defined so that src/cross-encoder/kernel/scalar.ts gives the same bits: whole numbers are exact, and each f32
;; operation is rounded on its own, in the order that stands here. Nothing here is fused or relaxed, so every machine agrees.
(module
  (import "reader" "memory" (memory 1 65536 shared))

  ;; Rearranges int8 rows so that `multiply` reads them in order: panels of four rows, in each panel, for every pair of places,
  ;; the pair of row 0, of row 1, 2 and 3. In place; `scratch` holds one panel (4 * depth bytes). Returns the largest sum of
  ;; absolute values of a row, from which the caller knows how large an input may be before a sum leaves 32 bits.
  (func (export "packRows") (param $at i32) (param $rows i32) (param $depth i32) (param $scratch i32) (result i32)
    (local $panel i32) (local $from i32) (local $end i32) (local $largest i32)
    (local $a v128) (local $b v128) (local $sum_a v128) (local $sum_b v128) (local $sums v128)
    (local.set $panel (i32.shl (local.get $depth) (i32.const 2)))
    (loop $panels
      (memory.copy (local.get $scratch) (local.get $at) (local.get $panel))
      (local.set $from (local.get $scratch))
      (local.set $end (i32.add (local.get $scratch) (local.get $depth)))
      (local.set $sum_a (v128.const i32x4 0 0 0 0))
      (local.set $sum_b (v128.const i32x4 0 0 0 0))
      (loop $eight
        (local.set $a (v128.load64_zero (local.get $from)))
        (local.set $a (v128.load64_lane 1 (i32.add (local.get $from) (local.get $depth)) (local.get $a)))
        (local.set $b (v128.load64_zero (i32.add (local.get $from) (i32.shl (local.get $depth) (i32.const 1)))))
        (local.set $b (v128.load64_lane 1
          (i32.add (local.get $from) (i32.mul (local.get $depth) (i32.const 3))) (local.get $b)))
        (local.set $sum_a (i32x4.add (local.get $sum_a)
          (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (i8x16.abs (local.get $a))))))
        (local.set $sum_b (i32x4.add (local.get $sum_b)
          (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (i8x16.abs (local.get $b))))))
        (v128.store (local.get $at)
          (i8x16.shuffle 0 1 8 9 16 17 24 25 2 3 10 11 18 19 26 27 (local.get $a) (local.get $b)))
        (v128.store offset=16 (local.get $at)
          (i8x16.shuffle 4 5 12 13 20 21 28 29 6 7 14 15 22 23 30 31 (local.get $a) (local.get $b)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (local.set $from (i32.add (local.get $from) (i32.const 8)))
        (br_if $eight (i32.lt_u (local.get $from) (local.get $end))))
      ;; Lanes 0 and 1 belong to one row, 2 and 3 to the next.
      (local.set $sums (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sum_a) (local.get $sum_b))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sum_a) (local.get $sum_b))))
      (local.set $sums (i32x4.max_s (local.get $sums)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sums) (local.get $sums))))
      (local.set $sums (i32x4.max_s (local.get $sums)
        (i8x16.shuffle 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 (local.get $sums) (local.get $sums))))
      (if (i32.gt_s (i32x4.extract_lane 0 (local.get $sums)) (local.get $largest))
        (then (local.set $largest (i32x4.extract_lane 0 (local.get $sums)))))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 4)))
      (br_if $panels (i32.gt_s (local.get $rows) (i32.const 0))))
    (local.get $largest))

  ;; Turns f32 rows into int16 codes with one scale a row: the largest value of a row becomes `limit`. In each tile of four
  ;; tokens, for every pair of places, the pair of token 0, of token 1, 2 and 3. Tokens that a last tile lacks are zero.
  (func (export "quantise") (param $x i32) (param $tokens i32) (param $width i32) (param $limit f32) (param $codes i32)
    (param $scales i32)
    (local $token i32) (local $tiled i32) (local $at i32) (local $end i32) (local $bytes i32) (local $to i32) (local $peak f32)
    (local $peaks v128) (local $factor v128) (local $codes4 v128)
    (local.set $bytes (i32.shl (local.get $width) (i32.const 2)))
    (local.set $tiled (i32.and (i32.add (local.get $tokens) (i32.const 3)) (i32.const -4)))
    (loop $rows
      ;; A tile is 8 * width bytes long; token t of it starts at 4 * t.
      (local.set $to (i32.add (local.get $codes) (i32.add
        (i32.shl (i32.mul (i32.shr_u (local.get $token) (i32.const 2)) (local.get $width)) (i32.const 3))
        (i32.shl (i32.and (local.get $token) (i32.const 3)) (i32.const 2)))))
      (local.set $peak (f32.const 0))
      (local.set $end (i32.add (local.get $x) (local.get $bytes)))
      (if (i32.lt_u (local.get $token) (local.get $tokens))
        (then
          (local.set $at (local.get $x))
          (local.set $peaks (v128.const i32x4 0 0 0 0))
          (loop $four
            (local.set $peaks (f32x4.pmax (local.get $peaks) (f32x4.abs (v128.load (local.get $at)))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $four (i32.lt_u (local.get $at) (local.get $end))))
          (local.set $peak (f32.max
            (f32.max (f32x4.extract_lane 0 (local.get $peaks)) (f32x4.extract_lane 1 (local.get $peaks)))
            (f32.max (f32x4.extract_lane 2 (local.get $peaks)) (f32x4.extract_lane 3 (local.get $peaks)))))))
      (f32.store (local.get $scales) (f32.div (local.get $peak) (local.get $limit)))
      (local.set $factor (f32x4.splat (f32.const 0)))
      (if (f32.gt (local.get $peak) (f32.const 0))
        (then (local.set $factor (f32x4.splat (f32.div (local.get $limit) (local.get $peak))))))
      (local.set $at (local.get $x))
      (loop $four
        ;; 1.5 * 2^23 added rounds to a whole number, which then stands in the lowest bits.
        (local.set $codes4 (i32x4.sub
          (f32x4.add (f32x4.mul (v128.load (local.get $at)) (local.get $factor)) (f32x4.splat (f32.const 12582912)))
          (f32x4.splat (f32.const 12582912))))
        (local.set $codes4 (i16x8.narrow_i32x4_s (local.get $codes4) (local.get $codes4)))
        (v128.store32_lane 0 (local.get $to) (local.get $codes4))
        (v128.store32_lane offset=16 1 (local.get $to) (local.get $codes4))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $four (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $x (local.get $end))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $token (i32.add (local.get $token) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $token) (local.get $tiled)))))

  ;; out[token][row] = sum(weight * code) * (scale of the row * scale of the token) + bias[row], over packed rows and codes.
  ;; Eight rows by four tokens at a time: eight sums and their operands fit the sixteen vector registers of a machine.
  (func (export "multiply") (param $weights i32) (param $row_scales i32) (param $bias i32) (param $rows i32) (param $depth i32)
    (param $codes i32) (param $token_scales i32) (param $tokens i32) (param $out i32) (param $stride i32)
    (local $panel i32) (local $panel0 i32) (local $panel1 i32) (local $end i32) (local $code i32) (local $token_scale i32)
    (local $to i32) (local $left i32)
    (local $s00 v128) (local $s01 v128) (local $s10 v128) (local $s11 v128) (local $s20 v128) (local $s21 v128) (local $s30 v128) (local $s31 v128)
    (local $w0 v128) (local $w1 v128) (local $x v128) (local $scale0 v128) (local $scale1 v128) (local $bias0 v128) (local $bias1 v128)
    (local.set $panel (i32.shl (local.get $depth) (i32.const 2)))
    (loop $panels
      (local.set $scale0 (v128.load (local.get $row_scales)))
      (local.set $scale1 (v128.load offset=16 (local.get $row_scales)))
      (local.set $bias0 (v128.load (local.get $bias)))
      (local.set $bias1 (v128.load offset=16 (local.get $bias)))
      (local.set $end (i32.add (local.get $weights) (local.get $panel)))
      (local.set $code (local.get $codes))
      (local.set $token_scale (local.get $token_scales))
      (local.set $to (local.get $out))
      (local.set $left (local.get $tokens))
      (loop $tiles
        (local.set $s00 (v128.const i32x4 0 0 0 0))
        (local.set $s01 (v128.const i32x4 0 0 0 0))
        (local.set $s10 (v128.const i32x4 0 0 0 0))
        (local.set $s11 (v128.const i32x4 0 0 0 0))
        (local.set $s20 (v128.const i32x4 0 0 0 0))
        (local.set $s21 (v128.const i32x4 0 0 0 0))
        (local.set $s30 (v128.const i32x4 0 0 0 0))
        (local.set $s31 (v128.const i32x4 0 0 0 0))
        (local.set $panel0 (local.get $weights))
        (local.set $panel1 (local.get $end))
        (loop $pairs
          (local.set $w0 (v128.load8x8_s (local.get $panel0)))
          (local.set $w1 (v128.load8x8_s (local.get $panel1)))
          (local.set $x (v128.load32_splat (local.get $code)))
          (local.set $s00 (i32x4.add (local.get $s00) (i32x4.dot_i16x8_s (local.get $w0) (local.get $x))))
          (local.set $s01 (i32x4.add (local.get $s01) (i32x4.dot_i16x8_s (local.get $w1) (local.get $x))))
          (local.set $x (v128.load32_splat offset=4 (local.get $code)))
          (local.set $s10 (i32x4.add (local.get $s10) (i32x4.dot_i16x8_s (local.get $w0) (local.get $x))))
          (local.set $s11 (i32x4.add (local.get $s11) (i32x4.dot_i16x8_s (local.get $w1) (local.get $x))))
          (local.set $x (v128.load32_splat offset=8 (local.get $code)))
          (local.set $s20 (i32x4.add (local.get $s20) (i32x4.dot_i16x8_s (local.get $w0) (local.get $x))))
          (local.set $s21 (i32x4.add (local.get $s21) (i32x4.dot_i16x8_s (local.get $w1) (local.get $x))))
          (local.set $x (v128.load32_splat offset=12 (local.get $code)))
          (local.set $s30 (i32x4.add (local.get $s30) (i32x4.dot_i16x8_s (local.get $w0) (local.get $x))))
          (local.set $s31 (i32x4.add (local.get $s31) (i32x4.dot_i16x8_s (local.get $w1) (local.get $x))))
          (local.set $code (i32.add (local.get $code) (i32.const 16)))
          (local.set $panel1 (i32.add (local.get $panel1) (i32.const 8)))
          (local.set $panel0 (i32.add (local.get $panel0) (i32.const 8)))
          (br_if $pairs (i32.lt_u (local.get $panel0) (local.get $end))))
        (local.set $x (v128.load32_splat (local.get $token_scale)))
        (v128.store (local.get $to) (f32x4.add (local.get $bias0) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s00)) (f32x4.mul (local.get $scale0) (local.get $x)))))
        (v128.store offset=16 (local.get $to) (f32x4.add (local.get $bias1) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s01)) (f32x4.mul (local.get $scale1) (local.get $x)))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $x (v128.load32_splat offset=4 (local.get $token_scale)))
        (v128.store (local.get $to) (f32x4.add (local.get $bias0) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s10)) (f32x4.mul (local.get $scale0) (local.get $x)))))
        (v128.store offset=16 (local.get $to) (f32x4.add (local.get $bias1) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s11)) (f32x4.mul (local.get $scale1) (local.get $x)))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $x (v128.load32_splat offset=8 (local.get $token_scale)))
        (v128.store (local.get $to) (f32x4.add (local.get $bias0) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s20)) (f32x4.mul (local.get $scale0) (local.get $x)))))
        (v128.store offset=16 (local.get $to) (f32x4.add (local.get $bias1) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s21)) (f32x4.mul (local.get $scale1) (local.get $x)))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $x (v128.load32_splat offset=12 (local.get $token_scale)))
        (v128.store (local.get $to) (f32x4.add (local.get $bias0) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s30)) (f32x4.mul (local.get $scale0) (local.get $x)))))
        (v128.store offset=16 (local.get $to) (f32x4.add (local.get $bias1) (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $s31)) (f32x4.mul (local.get $scale1) (local.get $x)))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $token_scale (i32.add (local.get $token_scale) (i32.const 16)))
        (local.set $left (i32.sub (local.get $left) (i32.const 4)))
        (br_if $tiles (i32.gt_s (local.get $left) (i32.const 0))))
      (local.set $weights (i32.add (local.get $end) (local.get $panel)))
      (local.set $row_scales (i32.add (local.get $row_scales) (i32.const 32)))
      (local.set $bias (i32.add (local.get $bias) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 32)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 8)))
      (br_if $panels (i32.gt_s (local.get $rows) (i32.const 0)))))

  ;; x = x * (normal share below x), in place. The share is 1/2 + b * P(v) with b = x held within -5 and 5 and v = 2 (b / 5)^2 - 1;
  ;; lab/train/reader/fit_gelu.py fits P (error of the result below 1e-5 up to |x| = 12, below 1e-6 |x| beyond).
  (func (export "gelu") (param $x i32) (param $count i32)
    (local $end i32) (local $b v128) (local $v v128) (local $p v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $four
      (local.set $b (f32x4.pmax (f32x4.splat (f32.const -5)) (f32x4.pmin (f32x4.splat (f32.const 5)) (v128.load (local.get $x)))))
      (local.set $v (f32x4.sub
        (f32x4.mul (f32x4.mul (local.get $b) (local.get $b)) (f32x4.splat (f32.const 0.08))) (f32x4.splat (f32.const 1))))
      (local.set $p (f32x4.splat (f32.const -0.0011061235563829541)))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.0032307435758411884))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const -0.0039035221561789513))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.005060216877609491))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const -0.01012207567691803))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.016932537779211998))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const -0.023649564012885094))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.031354572623968124))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const -0.04038744047284126))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.05152522027492523))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const -0.07029843330383301))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $v)) (f32x4.splat (f32.const 0.14136375486850739))))
      (v128.store (local.get $x) (f32x4.mul (v128.load (local.get $x))
        (f32x4.add (f32x4.mul (local.get $p) (local.get $b)) (f32x4.splat (f32.const 0.5)))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $x) (local.get $end)))))

  ;; (s0 + s1) + (s2 + s3)
  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; x = norm(x + y) * gain + bias, row by row, in place; norm takes the mean away and divides by the deviation.
  (func (export "addNorm") (param $x i32) (param $y i32) (param $gain i32) (param $bias i32) (param $tokens i32) (param $width i32)
    (param $epsilon f32)
    (local $at i32) (local $bytes i32) (local $mean v128) (local $factor v128) (local $sums v128) (local $v v128)
    (local.set $bytes (i32.shl (local.get $width) (i32.const 2)))
    (loop $rows
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $four
        (local.set $v (f32x4.add (v128.load (i32.add (local.get $x) (local.get $at))) (v128.load (i32.add (local.get $y) (local.get $at)))))
        (v128.store (i32.add (local.get $x) (local.get $at)) (local.get $v))
        (local.set $sums (f32x4.add (local.get $sums) (local.get $v)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $four (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $mean (f32x4.splat (f32.div (call $sum (local.get $sums)) (f32.convert_i32_u (local.get $width)))))
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $four
        (local.set $v (f32x4.sub (v128.load (i32.add (local.get $x) (local.get $at))) (local.get $mean)))
        (local.set $sums (f32x4.add (local.get $sums) (f32x4.mul (local.get $v) (local.get $v))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $four (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $factor (f32x4.splat (f32.div (f32.const 1) (f32.sqrt (f32.add
        (f32.div (call $sum (local.get $sums)) (f32.convert_i32_u (local.get $width))) (local.get $epsilon))))))
      (local.set $at (i32.const 0))
      (loop $four
        (local.set $v (f32x4.mul (f32x4.sub (v128.load (i32.add (local.get $x) (local.get $at))) (local.get $mean)) (local.get $factor)))
        (v128.store (i32.add (local.get $x) (local.get $at)) (f32x4.add
          (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $gain) (local.get $at))))
          (v128.load (i32.add (local.get $bias) (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $four (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $x (i32.add (local.get $x) (local.get $bytes)))
      (local.set $y (i32.add (local.get $y) (local.get $bytes)))
      (local.set $tokens (i32.sub (local.get $tokens) (i32.const 1)))
      (br_if $rows (i32.gt_s (local.get $tokens) (i32.const 0)))))

  ;; out = a * b in f32, four rows of a by eight columns of b at a time; `rows` is rounded up to four, `columns` is a multiple of 8.
  (func $product (param $a i32) (param $a_stride i32) (param $b i32) (param $b_stride i32) (param $depth i32) (param $rows i32)
    (param $columns i32) (param $out i32) (param $stride i32)
    (local $from i32) (local $row i32) (local $end i32) (local $to i32) (local $left i32) (local $x v128) (local $b0 v128) (local $b1 v128)
    (local $a0 i32) (local $a1 i32) (local $a2 i32) (local $a3 i32)
    (local $s00 v128) (local $s01 v128) (local $s10 v128) (local $s11 v128) (local $s20 v128) (local $s21 v128) (local $s30 v128) (local $s31 v128)
    (loop $blocks
      (local.set $from (local.get $a))
      (local.set $to (local.get $out))
      (local.set $left (local.get $rows))
      (loop $tiles
        (local.set $a0 (local.get $from))
        (local.set $a1 (i32.add (local.get $a0) (local.get $a_stride)))
        (local.set $a2 (i32.add (local.get $a1) (local.get $a_stride)))
        (local.set $a3 (i32.add (local.get $a2) (local.get $a_stride)))
        (local.set $from (i32.add (local.get $a3) (local.get $a_stride)))
        (local.set $row (local.get $b))
        (local.set $end (i32.add (local.get $a0) (i32.shl (local.get $depth) (i32.const 2))))
        (local.set $s00 (v128.const i32x4 0 0 0 0))
        (local.set $s01 (v128.const i32x4 0 0 0 0))
        (local.set $s10 (v128.const i32x4 0 0 0 0))
        (local.set $s11 (v128.const i32x4 0 0 0 0))
        (local.set $s20 (v128.const i32x4 0 0 0 0))
        (local.set $s21 (v128.const i32x4 0 0 0 0))
        (local.set $s30 (v128.const i32x4 0 0 0 0))
        (local.set $s31 (v128.const i32x4 0 0 0 0))
        (loop $steps
          (local.set $b0 (v128.load (local.get $row)))
          (local.set $b1 (v128.load offset=16 (local.get $row)))
          (local.set $x (v128.load32_splat (local.get $a0)))
          (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $b0) (local.get $x))))
          (local.set $s01 (f32x4.add (local.get $s01) (f32x4.mul (local.get $b1) (local.get $x))))
          (local.set $a0 (i32.add (local.get $a0) (i32.const 4)))
          (local.set $x (v128.load32_splat (local.get $a1)))
          (local.set $s10 (f32x4.add (local.get $s10) (f32x4.mul (local.get $b0) (local.get $x))))
          (local.set $s11 (f32x4.add (local.get $s11) (f32x4.mul (local.get $b1) (local.get $x))))
          (local.set $a1 (i32.add (local.get $a1) (i32.const 4)))
          (local.set $x (v128.load32_splat (local.get $a2)))
          (local.set $s20 (f32x4.add (local.get $s20) (f32x4.mul (local.get $b0) (local.get $x))))
          (local.set $s21 (f32x4.add (local.get $s21) (f32x4.mul (local.get $b1) (local.get $x))))
          (local.set $a2 (i32.add (local.get $a2) (i32.const 4)))
          (local.set $x (v128.load32_splat (local.get $a3)))
          (local.set $s30 (f32x4.add (local.get $s30) (f32x4.mul (local.get $b0) (local.get $x))))
          (local.set $s31 (f32x4.add (local.get $s31) (f32x4.mul (local.get $b1) (local.get $x))))
          (local.set $a3 (i32.add (local.get $a3) (i32.const 4)))
          (local.set $row (i32.add (local.get $row) (local.get $b_stride)))
          (br_if $steps (i32.lt_u (local.get $a0) (local.get $end))))
        (v128.store (local.get $to) (local.get $s00))
        (v128.store offset=16 (local.get $to) (local.get $s01))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (v128.store (local.get $to) (local.get $s10))
        (v128.store offset=16 (local.get $to) (local.get $s11))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (v128.store (local.get $to) (local.get $s20))
        (v128.store offset=16 (local.get $to) (local.get $s21))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (v128.store (local.get $to) (local.get $s30))
        (v128.store offset=16 (local.get $to) (local.get $s31))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $left (i32.sub (local.get $left) (i32.const 4)))
        (br_if $tiles (i32.gt_s (local.get $left) (i32.const 0))))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 32)))
      (local.set $columns (i32.sub (local.get $columns) (i32.const 8)))
      (br_if $blocks (i32.gt_s (local.get $columns) (i32.const 0)))))

  ;; Turns a row of scores into shares that add up to 1: e^((score - largest) * scale) / sum. Places from `tokens` to `padded`
  ;; get next to nothing.
  (func $shares (param $at i32) (param $tokens i32) (param $padded i32) (param $scale f32)
    (local $from i32) (local $end i32) (local $peaks v128) (local $sums v128) (local $factor v128) (local $v v128)
    (local $n v128) (local $r v128) (local $p v128) (local $whole v128)
    (local.set $from (i32.add (local.get $at) (i32.shl (local.get $tokens) (i32.const 2))))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $padded) (i32.const 2))))
    (block $full
      (loop $surplus
        (br_if $full (i32.ge_u (local.get $from) (local.get $end)))
        (f32.store (local.get $from) (f32.const -1e30))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (br $surplus)))
    (local.set $peaks (f32x4.splat (f32.const -1e30)))
    (local.set $from (local.get $at))
    (loop $four
      (local.set $peaks (f32x4.pmax (local.get $peaks) (v128.load (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $from) (local.get $end))))
    (local.set $peaks (f32x4.splat (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $peaks)) (f32x4.extract_lane 1 (local.get $peaks)))
      (f32.max (f32x4.extract_lane 2 (local.get $peaks)) (f32x4.extract_lane 3 (local.get $peaks))))))
    (local.set $factor (f32x4.splat (local.get $scale)))
    (local.set $from (local.get $at))
    (loop $four
      (local.set $v (f32x4.mul (f32x4.sub (v128.load (local.get $from)) (local.get $peaks)) (local.get $factor)))
      ;; e^v for v <= 0: 2^n * e^r with r in [-ln 2 / 2, ln 2 / 2], and the series of e^r to the sixth power (error below 2e-7).
      ;; 1.5 * 2^23 added rounds to a whole number, which then stands in the lowest bits.
      (local.set $v (f32x4.pmax (local.get $v) (f32x4.splat (f32.const -86))))
      (local.set $whole (f32x4.add
        (f32x4.mul (local.get $v) (f32x4.splat (f32.const 1.4426950408889634))) (f32x4.splat (f32.const 12582912))))
      (local.set $n (f32x4.sub (local.get $whole) (f32x4.splat (f32.const 12582912))))
      ;; ln 2 in two parts, so that n * ln 2 loses no digits.
      (local.set $r (f32x4.sub
        (f32x4.sub (local.get $v) (f32x4.mul (local.get $n) (f32x4.splat (f32.const 0.693359375))))
        (f32x4.mul (local.get $n) (f32x4.splat (f32.const -0.00021219444005469057)))))
      (local.set $p (f32x4.splat (f32.const 0.001388888888888889)))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 0.008333333333333333))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 0.041666666666666664))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 0.16666666666666666))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 0.5))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 1))))
      (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (f32x4.splat (f32.const 1))))
      ;; n added to the exponent: times 2^n.
      (local.set $v (i32x4.add (local.get $p) (i32x4.shl (local.get $whole) (i32.const 23))))
      (v128.store (local.get $from) (local.get $v))
      (local.set $sums (f32x4.add (local.get $sums) (local.get $v)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $from) (local.get $end))))
    (local.set $factor (f32x4.splat (f32.div (f32.const 1) (call $sum (local.get $sums)))))
    (local.set $from (local.get $at))
    (loop $four
      (v128.store (local.get $from) (f32x4.mul (v128.load (local.get $from)) (local.get $factor)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Attention of `queries` rows over `tokens` rows of keys and values that lie beside each other ([key | value], each of
  ;; heads * width). `scratch` has room for 2 * padded * width + padded * (queries in tiles of four) numbers, where `padded` is
  ;; `tokens` rounded up to 8: a head's keys turned on their side, its values, and the scores.
  (func (export "attend") (param $query i32) (param $queries i32) (param $key_value i32) (param $tokens i32) (param $heads i32)
    (param $width i32) (param $scale f32) (param $scratch i32) (param $out i32)
    (local $padded i32) (local $token i32) (local $place i32) (local $from i32) (local $to i32) (local $values i32) (local $scores i32)
    (local $stride i32) (local $width_bytes i32) (local $padded_bytes i32) (local $row i32)
    (local.set $padded (i32.and (i32.add (local.get $tokens) (i32.const 7)) (i32.const -8)))
    (local.set $padded_bytes (i32.shl (local.get $padded) (i32.const 2)))
    (local.set $width_bytes (i32.shl (local.get $width) (i32.const 2)))
    (local.set $stride (i32.mul (local.get $heads) (local.get $width_bytes)))
    (local.set $values (i32.add (local.get $scratch) (i32.mul (local.get $padded) (local.get $width_bytes))))
    (local.set $scores (i32.add (local.get $values) (i32.mul (local.get $padded) (local.get $width_bytes))))
    (memory.fill (local.get $scratch) (i32.const 0) (i32.sub (local.get $scores) (local.get $scratch)))
    (loop $each_head
      (local.set $token (i32.const 0))
      (loop $rows
        (local.set $from (i32.add (local.get $key_value) (i32.mul (local.get $token) (i32.shl (local.get $stride) (i32.const 1)))))
        (memory.copy (i32.add (local.get $values) (i32.mul (local.get $token) (local.get $width_bytes)))
          (i32.add (local.get $from) (local.get $stride)) (local.get $width_bytes))
        (local.set $to (i32.add (local.get $scratch) (i32.shl (local.get $token) (i32.const 2))))
        (local.set $place (i32.const 0))
        (loop $places
          (f32.store (local.get $to) (f32.load (i32.add (local.get $from) (local.get $place))))
          (local.set $to (i32.add (local.get $to) (local.get $padded_bytes)))
          (local.set $place (i32.add (local.get $place) (i32.const 4)))
          (br_if $places (i32.lt_u (local.get $place) (local.get $width_bytes))))
        (local.set $token (i32.add (local.get $token) (i32.const 1)))
        (br_if $rows (i32.lt_u (local.get $token) (local.get $tokens))))
      (call $product (local.get $query) (local.get $stride) (local.get $scratch) (local.get $padded_bytes) (local.get $width)
        (local.get $queries) (local.get $padded) (local.get $scores) (local.get $padded_bytes))
      (local.set $row (i32.const 0))
      (loop $each_query
        (call $shares (i32.add (local.get $scores) (i32.mul (local.get $row) (local.get $padded_bytes)))
          (local.get $tokens) (local.get $padded) (local.get $scale))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $each_query (i32.lt_u (local.get $row) (local.get $queries))))
      (call $product (local.get $scores) (local.get $padded_bytes) (local.get $values) (local.get $width_bytes) (local.get $padded)
        (local.get $queries) (local.get $width) (local.get $out) (local.get $stride))
      (local.set $query (i32.add (local.get $query) (local.get $width_bytes)))
      (local.set $key_value (i32.add (local.get $key_value) (local.get $width_bytes)))
      (local.set $out (i32.add (local.get $out) (local.get $width_bytes)))
      (local.set $heads (i32.sub (local.get $heads) (i32.const 1)))
      (br_if $each_head (local.get $heads)))))
