// Four words of the message schedule of SHA-256 at a time: FIPS 180-4, section 6.2.2, step 1.

// biome-ignore lint/complexity/noStaticOnlyClass: only methods can be marked as inline, and a call would save and load every variable.
export class Words {
  /** The four words from 32-bit big-endian bytes. */
  @inline
  static at(bytes: usize): v128 {
    return v128.shuffle<u8>(v128.load(bytes), i32x4.splat(0), 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  }

  /** The next four words of a schedule after its last sixteen. */
  @inline
  static next(w0: v128, w1: v128, w2: v128, w3: v128): v128 {
    const zero = i32x4.splat(0);
    const w15 = v128.shuffle<u32>(w0, w1, 1, 2, 3, 4);
    const sums = i32x4.add(i32x4.add(w0, v128.shuffle<u32>(w2, w3, 1, 2, 3, 4)), Words.smallSigma0(w15));
    // Two words need the two before them.
    const before = Words.smallSigma1(v128.shuffle<u32>(w3, w3, 2, 2, 3, 3));
    const next = i32x4.add(sums, v128.shuffle<u32>(before, zero, 0, 2, 4, 4));
    const last = Words.smallSigma1(v128.shuffle<u32>(next, next, 0, 0, 1, 1));
    return i32x4.add(next, v128.shuffle<u32>(zero, last, 0, 0, 4, 6));
  }

  @inline
  static smallSigma0(w: v128): v128 {
    return v128.xor(
      v128.xor(v128.xor(i32x4.shr_u(w, 7), i32x4.shl(w, 25)), v128.xor(i32x4.shr_u(w, 18), i32x4.shl(w, 14))),
      i32x4.shr_u(w, 3),
    );
  }

  /** Of two words, each of which stands twice, so that a shift of 64 bits rotates it; the results are the first and the third. */
  @inline
  static smallSigma1(w: v128): v128 {
    return v128.xor(v128.xor(i64x2.shr_u(w, 17), i64x2.shr_u(w, 19)), i32x4.shr_u(w, 10));
  }
}
