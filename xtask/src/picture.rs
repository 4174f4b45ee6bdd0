//! What is done with pictures: put together, compared.

use image::{GenericImage, RgbImage, imageops};

/// Pictures side by side in rows of `columns`, each fitted into a cell.
pub fn montage(pictures: &[RgbImage], columns: u32, cell: (u32, u32)) -> RgbImage {
    let gap = 4;
    let columns = columns.max(1);
    let rows = (pictures.len() as u32).div_ceil(columns);
    let width = columns * cell.0 + (columns + 1) * gap;
    let height = rows * cell.1 + (rows + 1) * gap;
    let mut whole = RgbImage::from_pixel(width, height, image::Rgb([24, 24, 28]));
    for (index, picture) in (0..).zip(pictures) {
        let scale = (f64::from(cell.0) / f64::from(picture.width()))
            .min(f64::from(cell.1) / f64::from(picture.height()));
        let fit = |side: u32| ((f64::from(side) * scale) as u32).max(1);
        let (w, h) = (fit(picture.width()), fit(picture.height()));
        let small = imageops::resize(picture, w, h, imageops::FilterType::Triangle);
        let x = gap + (index % columns) * (cell.0 + gap) + (cell.0 - w.min(cell.0)) / 2;
        let y = gap + (index / columns) * (cell.1 + gap) + (cell.1 - h.min(cell.1)) / 2;
        // A cell lies inside the whole by construction.
        let _ = whole.copy_from(&small, x, y);
    }
    whole
}

/// Whether nothing has been drawn: every pixel is the same.
pub fn is_blank(picture: &RgbImage) -> bool {
    let mut pixels = picture.pixels();
    let first = pixels.next();
    pixels.all(|pixel| Some(pixel) == first)
}

/// Structural similarity of two pictures of one size, 1 for equal ones: the mean over windows of 8×8
/// luminances (Wang et al. 2004). 0 when the sizes differ.
pub fn ssim(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 0.0;
    }
    const SIDE: usize = 8;
    const C1: f64 = 6.5025;
    const C2: f64 = 58.5225;
    let (width, height) = (a.width() as usize, a.height() as usize);
    let luma = |picture: &RgbImage| -> Vec<f64> {
        let weigh = |p: &image::Rgb<u8>| {
            0.299 * f64::from(p.0[0]) + 0.587 * f64::from(p.0[1]) + 0.114 * f64::from(p.0[2])
        };
        picture.pixels().map(weigh).collect()
    };
    let (la, lb) = (luma(a), luma(b));
    let mut sum = 0.0;
    let mut windows = 0.0;
    for y in (0..height).step_by(SIDE) {
        for x in (0..width).step_by(SIDE) {
            let (mut n, mut sa, mut sb, mut saa, mut sbb, mut sab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            for row in y..(y + SIDE).min(height) {
                let line = row * width + x..row * width + (x + SIDE).min(width);
                let pair = la
                    .get(line.clone())
                    .into_iter()
                    .flatten()
                    .zip(lb.get(line).into_iter().flatten());
                for (p, q) in pair {
                    n += 1.0;
                    sa += p;
                    sb += q;
                    saa += p * p;
                    sbb += q * q;
                    sab += p * q;
                }
            }
            let (ma, mb) = (sa / n, sb / n);
            let (va, vb, cov) = (saa / n - ma * ma, sbb / n - mb * mb, sab / n - ma * mb);
            sum += (2.0 * ma * mb + C1) * (2.0 * cov + C2)
                / ((ma * ma + mb * mb + C1) * (va + vb + C2));
            windows += 1.0;
        }
    }
    if windows == 0.0 { 0.0 } else { sum / windows }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u32) -> RgbImage {
        RgbImage::from_fn(61, 37, |x, y| {
            let v = (x * 7 + y * 13 + seed).wrapping_mul(2_654_435_761) >> 24;
            image::Rgb([v as u8, (v / 2) as u8, 255 - v as u8])
        })
    }

    #[test]
    fn equal_pictures_are_one_and_others_are_less() {
        assert!((ssim(&noise(1), &noise(1)) - 1.0).abs() < 1e-9);
        assert!(ssim(&noise(1), &noise(2)) < 0.5);
        let mut near = noise(1);
        near.pixels_mut().for_each(|p| p.0[0] = p.0[0].saturating_add(2));
        let close = ssim(&noise(1), &near);
        assert!(close > 0.99 && close < 1.0, "{close}");
        assert_eq!(ssim(&noise(1), &RgbImage::new(1, 1)), 0.0);
    }

    #[test]
    fn a_montage_holds_every_picture() {
        let red = RgbImage::from_pixel(10, 10, image::Rgb([255, 0, 0]));
        let blue = RgbImage::from_pixel(40, 10, image::Rgb([0, 0, 255]));
        let whole = montage(&[red, blue], 2, (20, 20));
        assert_eq!(whole.dimensions(), (52, 28));
        assert_eq!(whole.get_pixel(14, 14).0, [255, 0, 0]);
        assert_eq!(whole.get_pixel(38, 14).0, [0, 0, 255]);
    }
}
