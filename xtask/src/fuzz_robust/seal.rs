//! Checkpoint files taken apart and put together again, so that damage can be done behind their hashes. It follows the form that
//! `crates/cli/src/checkpoint.rs` describes.

use rapidhash::v3::rapidhash_v3;

/// What comes before the blocks: the magic number, the version, and the kind.
const OPENING: usize = 21;
/// In front of a block: its length and its hash.
const HEAD: usize = 12;

/// What a file begins with, and its blocks, without the last one, which is empty. `None` if it has another form.
pub fn open(file: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let (opening, mut rest) = file.split_at_checked(OPENING)?;
    let mut blocks = Vec::new();
    loop {
        let (head, after) = rest.split_at_checked(HEAD)?;
        let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
        if length == 0 {
            return Some((opening.to_vec(), blocks));
        }
        let (block, after) = after.split_at_checked(length)?;
        blocks.push(block.to_vec());
        rest = after;
    }
}

/// The file that is made of these.
pub fn close(opening: &[u8], blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = opening.to_vec();
    let mut chain = rapidhash_v3(opening);
    for block in blocks.iter().map(Vec::as_slice).chain([&[][..]]) {
        chain = rapidhash_v3(&[&chain.to_le_bytes(), block].concat());
        file.extend_from_slice(&(block.len() as u32).to_le_bytes());
        file.extend_from_slice(&chain.to_le_bytes());
        file.extend_from_slice(block);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_put_together_as_it_was() {
        let opening = [7; OPENING];
        let blocks = vec![b"one".to_vec(), b"two and three".to_vec()];
        let file = close(&opening, &blocks);
        assert_eq!(open(&file), Some((opening.to_vec(), blocks)));
        assert!((0..file.len()).all(|length| open(&file[..length]).is_none()));
    }
}
