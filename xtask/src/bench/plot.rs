//! The plot: each case of `drawoverhead` as a row, each contestant as a dot at its ratio to the host's
//! driver, on a logarithmic axis.

use std::fmt::Write;

use super::Results;
use super::contestants::HOST;

const LEFT: f64 = 470.0;
const WIDTH: f64 = 620.0;
const ROW: f64 = 17.0;
const TOP: f64 = 64.0;
/// The ends of the axis, as powers of two.
const ENDS: (f64, f64) = (-4.0, 3.0);
const COLOURS: [&str; 7] =
    ["#1b6ca8", "#3a9d5d", "#c0392b", "#e08e2b", "#7f6bb3", "#6b7280", "#0e7c86"];

/// The picture as SVG text; its background is white, whatever page it lies on.
pub fn svg(results: &Results) -> String {
    let cases: Vec<_> =
        results.series.iter().filter(|(name, _)| name.starts_with("drawoverhead")).collect();
    let others: Vec<&String> = results.contestants.iter().filter(|who| *who != HOST).collect();
    let height = TOP + ROW * cases.len() as f64 + 40.0;
    let width = LEFT + WIDTH + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"22\" font-size=\"15\">drawoverhead: draws per second in relation to the host's \
         driver</text>\n"
    );
    for (index, who) in others.iter().enumerate() {
        let x = 10.0 + 130.0 * index as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.0}\" cy=\"42\" r=\"4\" fill=\"{}\"/><text x=\"{:.0}\" y=\"46\">{}</text>",
            x + 5.0,
            colour(index),
            x + 14.0,
            escape(who)
        );
    }
    let bottom = TOP + ROW * cases.len() as f64;
    for power in ENDS.0 as i32..=ENDS.1 as i32 {
        let ratio = f64::from(power).exp2();
        let at = x(ratio);
        let stroke = if power == 0 { "#111" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"{stroke}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{ratio}×</text>",
            bottom + 16.0
        );
    }
    for (row, (name, series)) in cases.iter().enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        let label = name.strip_prefix("drawoverhead ").unwrap_or(name);
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 10.0,
            y + 4.0,
            escape(label)
        );
        for (index, who) in others.iter().enumerate() {
            let Some(ratio) = series.ratio(who) else { continue };
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.85\"/>",
                x(ratio),
                colour(index)
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn x(ratio: f64) -> f64 {
    let at = (ratio.max(1e-6).log2() - ENDS.0) / (ENDS.1 - ENDS.0);
    LEFT + WIDTH * at.clamp(0.0, 1.0)
}

fn colour(index: usize) -> &'static str {
    COLOURS.get(index % COLOURS.len()).copied().unwrap_or("black")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_is_logarithmic_and_ends() {
        let step = x(1.0) - x(0.5);
        assert!((x(2.0) - x(1.0) - step).abs() < 1e-9);
        assert!((x(1e9) - (LEFT + WIDTH)).abs() < 1e-9);
        assert!((x(0.0) - LEFT).abs() < 1e-9);
    }
}
