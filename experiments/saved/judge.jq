# A line of three flags (saved is right, replay is right, saved is not known), then what was said.
def r3: . * 1000 | round / 1000;
$with[0] as $w | $none[0] as $n | ($replay[0].variations[0].policies[] | select(.policy == "none")) as $p
| ($n.took_s - $w.took_s) as $truth
| ($w.saved_low_s == null) as $unknown
| (if $unknown then "unknown"
   elif $w.saved_high_s == null then "at least \($w.saved_low_s | r3)"
   else "\($w.saved_about_s | r3) (\($w.saved_low_s | r3) to \($w.saved_high_s | r3))" end) as $said
| (if $unknown then true
   elif $w.saved_high_s == null then $truth >= $w.saved_low_s
   elif $w.saved_high_s < 0.2 * $n.took_s then ($truth | fabs) < 0.2 * $n.took_s
   else $truth >= $w.saved_low_s and $truth <= $w.saved_high_s end) as $right
| (if $replay[0].is_bound then ">= \($p.mean_jct_s | r3)" else "\($p.mean_jct_s | r3)" end) as $bound
| (if $replay[0].is_bound then $n.took_s * 1.1 >= $p.mean_jct_s
   else ($n.took_s / $p.mean_jct_s - 1 | fabs) < 0.1 end) as $held
| "\(if $right then 1 else 0 end) \(if $held then 1 else 0 end) \(if $unknown then 1 else 0 end)"
+ " \($seed)  \($w.took_s | r3)  \($n.took_s | r3)  \($truth | r3)"
+ "  \($said)\(if $right then "" else " WRONG" end)"
+ "  \($bound)\(if $held then "" else " WRONG" end)"
