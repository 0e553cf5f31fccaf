// An animated GIF of pictures of one size, each as RGBA bytes. Of a picture only the rectangle that differs is written.
const COLOURS = 256;

// The most frequent colours of all pictures, and the nearest of them for any colour.
const palette = (pictures) => {
  const counts = new Map();
  for (const picture of pictures) {
    for (let at = 0; at < picture.length; at += 4) {
      const colour = (picture[at] << 16) | (picture[at + 1] << 8) | picture[at + 2];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const colours = [...counts].sort(([, one], [, other]) => other - one).slice(0, COLOURS).map(([colour]) => colour);
  const known = new Map(colours.map((colour, index) => [colour, index]));
  const apart = (one, other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  const nearest = (colour) => {
    if (!known.has(colour)) {
      const far = colours.map((one) => apart(one, colour));
      known.set(colour, far.indexOf(Math.min(...far)));
    }
    return known.get(colour);
  };
  return { colours, nearest };
};

// The pixels as LZW codes, in blocks.
const packed = (pixels) => {
  const [clear, end] = [COLOURS, COLOURS + 1];
  const bytes = [];
  let [held, count, size, next, codes] = [0, 0, 9, end + 1, new Map()];
  const put = (code) => {
    held |= code << count;
    for (count += size; count >= 8; count -= 8, held >>>= 8) bytes.push(held & 255);
  };
  put(clear);
  let prefix = pixels[0];
  for (const pixel of pixels.subarray(1)) {
    const key = (prefix << 8) | pixel;
    const longer = codes.get(key);
    if (longer !== undefined) { prefix = longer; continue; }
    put(prefix);
    if (next === 4096) {
      put(clear);
      [size, next, codes] = [9, end + 1, new Map()];
    } else {
      if (next >= 1 << size) size += 1;
      codes.set(key, next);
      next += 1;
    }
    prefix = pixel;
  }
  put(prefix);
  put(end);
  if (count > 0) bytes.push(held & 255);
  const blocks = [8];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
};

// The rectangle in which two pictures differ: x, y, width and height.
const changed = (picture, before, width, height) => {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < picture.length; at += 1) {
    if (picture[at] === before?.[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return right < 0 ? [0, 0, 1, 1] : [left, top, right - left + 1, bottom - top + 1];
};

// `delay(number)`: for how long a picture is shown, in hundredths of a second.
export const gif = (pictures, width, height, delay) => {
  const { colours, nearest } = palette(pictures);
  const two = (number) => [number & 255, number >> 8];
  const text = (letters) => [...letters].map((letter) => letter.charCodeAt(0));
  const table = Array.from({ length: COLOURS }, (_, at) => colours[at] ?? 0);
  const parts = [text("GIF89a"), two(width), two(height), [0xf7, 0, 0]];
  parts.push(table.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  parts.push([0x21, 0xff, 11], text("NETSCAPE2.0"), [3, 1, 0, 0, 0]);
  let before = null;
  pictures.forEach((picture, number) => {
    const indexed = new Uint8Array(width * height);
    for (let at = 0; at < indexed.length; at += 1) {
      indexed[at] = nearest((picture[4 * at] << 16) | (picture[4 * at + 1] << 8) | picture[4 * at + 2]);
    }
    const [x, y, across, down] = changed(indexed, before, width, height);
    const pixels = new Uint8Array(across * down);
    for (let row = 0; row < down; row += 1) {
      const begin = (y + row) * width + x;
      pixels.set(indexed.subarray(begin, begin + across), row * across);
    }
    parts.push([0x21, 0xf9, 4, 4], two(delay(number)), [0, 0, 0x2c], two(x), two(y), two(across), two(down), [0]);
    parts.push(packed(pixels));
    before = indexed;
  });
  parts.push([0x3b]);
  return new Blob(parts.map((part) => new Uint8Array(part)), { type: "image/gif" });
};
