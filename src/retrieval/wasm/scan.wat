;; Scans over rows of vectors, four rows at a time: one load of the query serves four rows, and four independent sums
;; hide the latency of an addition. All addresses and lengths are in bytes; row lengths are multiples of 16.
;;
;; Every result is defined to the bit:
;;   int8   the dot product is a whole number (no rounding), turned into f32 and multiplied once by the row's scale;
;;   f32    four partial sums, lane l over the elements 4i + l in rising i, added as (s0 + s1) + (s2 + s3).
(module
  (import "scan" "memory" (memory 1 65536))

  ;; Bytes 0 to 15 of the memory are this module's scratch.

  ;; Dot products of four int8 rows with an int16 query, as four i32.
  (func $dot_int8 (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $length i32) (param $query i32) (result v128)
    (local $sa v128) (local $sb v128) (local $sc v128) (local $sd v128) (local $q v128) (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (loop $sixteen
      (local.set $q (v128.load (local.get $query)))
      (local.set $sa (i32x4.add (local.get $sa) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $a)) (local.get $q))))
      (local.set $sb (i32x4.add (local.get $sb) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $b)) (local.get $q))))
      (local.set $sc (i32x4.add (local.get $sc) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c)) (local.get $q))))
      (local.set $sd (i32x4.add (local.get $sd) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $d)) (local.get $q))))
      (local.set $q (v128.load offset=16 (local.get $query)))
      (local.set $sa (i32x4.add (local.get $sa) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $a)) (local.get $q))))
      (local.set $sb (i32x4.add (local.get $sb) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $b)) (local.get $q))))
      (local.set $sc (i32x4.add (local.get $sc) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c)) (local.get $q))))
      (local.set $sd (i32x4.add (local.get $sd) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $d)) (local.get $q))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $c (i32.add (local.get $c) (i32.const 16)))
      (local.set $d (i32.add (local.get $d) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $sixteen (i32.ne (local.get $a) (local.get $end))))
    ;; Lanes 0 and 2 plus lanes 1 and 3, twice: each row's four partial sums become one lane.
    (local.set $sa (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sa) (local.get $sb))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sa) (local.get $sb))))
    (local.set $sc (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sc) (local.get $sd))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sc) (local.get $sd))))
    (i32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sa) (local.get $sc))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sa) (local.get $sc))))

  ;; Dot products of four f32 rows with an f32 query.
  (func $dot_f32 (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $length i32) (param $query i32) (result v128)
    (local $sa v128) (local $sb v128) (local $sc v128) (local $sd v128) (local $q v128) (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (loop $four
      (local.set $q (v128.load (local.get $query)))
      (local.set $sa (f32x4.add (local.get $sa) (f32x4.mul (v128.load (local.get $a)) (local.get $q))))
      (local.set $sb (f32x4.add (local.get $sb) (f32x4.mul (v128.load (local.get $b)) (local.get $q))))
      (local.set $sc (f32x4.add (local.get $sc) (f32x4.mul (v128.load (local.get $c)) (local.get $q))))
      (local.set $sd (f32x4.add (local.get $sd) (f32x4.mul (v128.load (local.get $d)) (local.get $q))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $c (i32.add (local.get $c) (i32.const 16)))
      (local.set $d (i32.add (local.get $d) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 16)))
      (br_if $four (i32.ne (local.get $a) (local.get $end))))
    ;; (s0 + s1) and (s2 + s3) of two rows in one vector, then their sums: one lane for each row.
    (local.set $sa (f32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sa) (local.get $sb))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sa) (local.get $sb))))
    (local.set $sc (f32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sc) (local.get $sd))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sc) (local.get $sd))))
    (f32x4.add
        (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sa) (local.get $sc))
        (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sa) (local.get $sc))))

  ;; Appends (number, score) of each of four rows whose score is above the threshold to `hits`; returns the new end.
  (func $keep (param $scores v128) (param $threshold f32) (param $at i32) (param $end i32) (param $hits i32) (result i32)
    (local $bits i32) (local $lane i32)
    (local.set $bits (i32x4.bitmask (f32x4.gt (local.get $scores) (f32x4.splat (local.get $threshold)))))
    (if (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 16))
      (then (local.set $bits (i32.and (local.get $bits) (i32.sub
        (i32.shl (i32.const 1) (i32.shr_u (i32.sub (local.get $end) (local.get $at)) (i32.const 2))) (i32.const 1))))))
    (if (i32.eqz (local.get $bits)) (then (return (local.get $hits))))
    (v128.store (i32.const 0) (local.get $scores))
    (loop $next
      (local.set $lane (i32.shl (i32.ctz (local.get $bits)) (i32.const 2)))
      (i32.store (local.get $hits) (i32.load (i32.add (local.get $at) (local.get $lane))))
      (f32.store offset=4 (local.get $hits) (f32.load (local.get $lane)))
      (local.set $hits (i32.add (local.get $hits) (i32.const 8)))
      (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
      (br_if $next (local.get $bits)))
    (local.get $hits))

  ;; Scores the int8 rows whose numbers stand in `list` (filled up to a multiple of four). Returns how many (number, score)
  ;; pairs above the threshold stand in `hits`.
  (func (export "scanInt8") (param $rows i32) (param $length i32) (param $scales i32) (param $list i32) (param $count i32)
    (param $query i32) (param $threshold f32) (param $hits i32) (result i32)
    (local $end i32) (local $first i32) (local $scale v128)
    (local.set $first (local.get $hits))
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $four
        (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
        (local.set $scale (v128.load32_splat (i32.add (local.get $scales) (i32.shl (i32.load (local.get $list)) (i32.const 2)))))
        (local.set $scale (v128.load32_lane 1 (i32.add (local.get $scales) (i32.shl (i32.load offset=4 (local.get $list)) (i32.const 2))) (local.get $scale)))
        (local.set $scale (v128.load32_lane 2 (i32.add (local.get $scales) (i32.shl (i32.load offset=8 (local.get $list)) (i32.const 2))) (local.get $scale)))
        (local.set $scale (v128.load32_lane 3 (i32.add (local.get $scales) (i32.shl (i32.load offset=12 (local.get $list)) (i32.const 2))) (local.get $scale)))
        (local.set $hits (call $keep
          (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (call $dot_int8
            (i32.add (local.get $rows) (i32.mul (local.get $length) (i32.load (local.get $list))))
            (i32.add (local.get $rows) (i32.mul (local.get $length) (i32.load offset=4 (local.get $list))))
            (i32.add (local.get $rows) (i32.mul (local.get $length) (i32.load offset=8 (local.get $list))))
            (i32.add (local.get $rows) (i32.mul (local.get $length) (i32.load offset=12 (local.get $list))))
            (local.get $length) (local.get $query))))
          (local.get $threshold) (local.get $list) (local.get $end) (local.get $hits)))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (br $four)))
    (i32.shr_u (i32.sub (local.get $hits) (local.get $first)) (i32.const 3)))

  ;; Scores the f32 rows that begin at the addresses in `list` (filled up to a multiple of four) into `scores`.
  (func (export "rescore") (param $list i32) (param $count i32) (param $length i32) (param $query i32) (param $scores i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $four
        (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
        (v128.store (local.get $scores) (call $dot_f32
          (i32.load (local.get $list)) (i32.load offset=4 (local.get $list))
          (i32.load offset=8 (local.get $list)) (i32.load offset=12 (local.get $list))
          (local.get $length) (local.get $query)))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
        (br $four))))
)
