use super::*;
use proptest::prelude::*;

fn sample() -> Archive {
    Archive {
        dialect: SourceDialect { es: true, version: 300 },
        stages: vec![
            StageCode {
                stage: Stage::Vertex,
                spirv: vec![SPIRV_MAGIC, 1, 2],
                ..Default::default()
            },
            StageCode { stage: Stage::Fragment, spirv: vec![SPIRV_MAGIC], ..Default::default() },
        ],
        default_block_size: 64,
        uniforms: vec![
            Uniform {
                name: "lights[0].colour".into(),
                ty: 0x8B52,
                array_size: 1,
                block: -1,
                offset: 16,
                sampler_slot: -1,
                image_slot: -1,
                atomic_buffer: -1,
                stages: Stage::Fragment.bit(),
                initial: vec![0; 16],
                ..Default::default()
            },
            Uniform {
                name: "tex".into(),
                ty: 0x8B5E,
                block: -1,
                offset: -1,
                sampler_slot: 0,
                image_slot: -1,
                atomic_buffer: -1,
                ..Default::default()
            },
        ],
        uniform_blocks: vec![Block { name: "B".into(), members: vec![0], ..Default::default() }],
        samplers: vec![Sampler { count: 1, uniform: 1, binding: -1, ..Default::default() }],
        outputs: vec![Varying {
            name: "colour".into(),
            ty: 0x8B52,
            array_size: 1,
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[test]
fn an_archive_survives_the_trip() {
    let archive = sample();
    assert_eq!(Archive::decode(&archive.encode()), Ok(archive));
}

#[test]
fn truncation_at_any_byte_is_an_error() {
    let bytes = sample().encode();
    // Miri would take minutes for all of them.
    for length in (0..bytes.len()).step_by(if cfg!(miri) { 101 } else { 1 }) {
        assert!(Archive::decode(&bytes[..length]).is_err(), "{length} of {} decoded", bytes.len());
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(Archive::decode(&longer), Err(ArchiveError::Trailing));
}

#[test]
fn counts_beyond_the_bytes_allocate_nothing() {
    let mut reader = Reader::new(&[0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]);
    assert_eq!(Vec::<u32>::get(&mut reader), Err(ArchiveError::Count));
    let mut reader = Reader::new(&[3, 0, 0, 0, b'a', b'b']);
    assert_eq!(String::get(&mut reader), Err(ArchiveError::Count));
}

#[test]
fn ranges_are_checked() {
    let edit = |change: fn(&mut Archive)| {
        let mut archive = sample();
        change(&mut archive);
        Archive::decode(&archive.encode())
    };
    assert_eq!(edit(|a| a.samplers[0].slot = MAX_SLOTS), Err(ArchiveError::Value("samplers")));
    assert_eq!(edit(|a| a.samplers[0].slot = u32::MAX), Err(ArchiveError::Value("samplers")));
    assert_eq!(edit(|a| a.uniforms[0].block = 1), Err(ArchiveError::Value("uniform.block")));
    assert_eq!(edit(|a| a.uniforms[0].offset = 56), Err(ArchiveError::Value("uniform.offset")));
    assert_eq!(
        edit(|a| a.uniform_blocks[0].members = vec![2]),
        Err(ArchiveError::Value("uniform_blocks"))
    );
    assert_eq!(edit(|a| a.stages.swap(0, 1)), Err(ArchiveError::Value("stages")));
    assert_eq!(edit(|a| a.stages[1].stage = Stage::Vertex), Err(ArchiveError::Value("stages")));
    assert_eq!(edit(|a| a.stages[0].spirv.clear()), Err(ArchiveError::Value("spirv")));
}

#[test]
fn the_schema_is_pinned() {
    // A change of this value is a change of the format: raise VERSION with it.
    assert_eq!((VERSION, schema_hash()), (3, 388_656_063_326_112_167));
}

proptest! {
    #[test]
    fn any_bytes_decode_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let mut whole = Vec::new();
        MAGIC.put(&mut whole);
        VERSION.put(&mut whole);
        schema_hash().put(&mut whole);
        (bytes.len() as u32).put(&mut whole);
        whole.extend_from_slice(&bytes);
        let _ = Archive::decode(&whole);
    }

    #[test]
    fn a_flipped_byte_never_panics(position in 0usize..600, value in any::<u8>()) {
        let mut bytes = sample().encode();
        let position = position % bytes.len();
        bytes[position] = value;
        if let Ok(archive) = Archive::decode(&bytes) {
            prop_assert_eq!(Archive::decode(&archive.encode()), Ok(archive));
        }
    }

    #[test]
    fn uniforms_survive_the_trip(
        names in proptest::collection::vec("[a-z_]{1,12}(\\[0\\])?", 0..20),
        numbers in any::<[u32; 3]>(),
        initial in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let archive = Archive {
            default_block_size: 4096,
            uniforms: names.iter().enumerate().map(|(i, name)| Uniform {
                name: name.clone(),
                ty: numbers[0],
                array_size: numbers[1],
                is_array: name.ends_with(']'),
                block: -1,
                atomic_buffer: -1,
                sampler_slot: -1,
                image_slot: -1,
                offset: (i * 16) as i32,
                stages: numbers[2],
                initial: initial.clone(),
                ..Default::default()
            }).collect(),
            ..Default::default()
        };
        prop_assert_eq!(Archive::decode(&archive.encode()), Ok(archive));
    }
}
